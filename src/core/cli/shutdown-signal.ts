import { CommandError } from '../basics/errors.ts'

const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** One Ctrl+C may arrive twice: from the terminal, and again from npm. */
const DUPLICATE_MILLISECONDS = 500

/** A shutdown takes at most 12 s. After this deadline, one second is left for the last log entries. */
const DEADLINE_MILLISECONDS = 11_000

/** The first SIGINT or SIGTERM aborts the result; the second kills the process. Calls `onDeadline` at the deadline. */
export function shutdownSignal(onDeadline?: () => void): AbortSignal & Disposable {
  const controller = new AbortController()
  function onSignal(): void {
    if (onDeadline && !controller.signal.aborted) setTimeout(onDeadline, DEADLINE_MILLISECONDS).unref()
    controller.abort(new CommandError('Stopped. Run the command again to continue.'))
    setTimeout(stopListening, DUPLICATE_MILLISECONDS).unref()
  }
  function stopListening(): void {
    for (const signal of SHUTDOWN_SIGNALS) process.off(signal, onSignal)
  }
  for (const signal of SHUTDOWN_SIGNALS) process.on(signal, onSignal)
  return Object.assign(controller.signal, { [Symbol.dispose]: stopListening })
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
