const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** One Ctrl+C may arrive twice: from the terminal, and again from npm. */
const DUPLICATE_MILLISECONDS = 500

/** Aborted by the first SIGINT or SIGTERM. A second one kills the process. */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController()
  function onSignal(): void {
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
