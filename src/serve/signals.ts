const ENDING = ['SIGINT', 'SIGTERM'] as const

/** Whoever asks once may be heard twice within this time: the terminal tells us, and npm that runs us tells us again. */
const ECHO_MILLISECONDS = 500

/** Aborted when the process is asked to end. Asked again, it ends at once. */
export function asked(): AbortSignal {
  const controller = new AbortController()
  function ask(): void {
    controller.abort()
    setTimeout(() => {
      for (const signal of ENDING) process.off(signal, ask)
    }, ECHO_MILLISECONDS).unref()
  }
  for (const signal of ENDING) process.on(signal, ask)
  return controller.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
