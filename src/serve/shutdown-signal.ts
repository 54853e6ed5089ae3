const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** One Ctrl+C may arrive twice: from the terminal, and again from npm. */
const DUPLICATE_MILLISECONDS = 500

/** A shutdown takes at most 12 s, including the time for the last log entries. */
const DEADLINE_MILLISECONDS = 11_000

/** Returns a signal that SIGINT or SIGTERM aborts. A second one kills the process. At the deadline, `onDeadline` is called. */
export function shutdownSignal(onDeadline?: () => void): AbortSignal {
  const controller = new AbortController()
  function onSignal(): void {
    if (onDeadline && !controller.signal.aborted) setTimeout(onDeadline, DEADLINE_MILLISECONDS).unref()
    controller.abort()
    setTimeout(() => {
      for (const signal of SHUTDOWN_SIGNALS) process.off(signal, onSignal)
    }, DUPLICATE_MILLISECONDS).unref()
  }
  for (const signal of SHUTDOWN_SIGNALS) process.on(signal, onSignal)
  return controller.signal
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
