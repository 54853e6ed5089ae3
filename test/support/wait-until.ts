const PATIENCE_MS = 300_000

/** Polls until the condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, what = 'a condition'): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Timeout after ${PATIENCE_MS} ms: waited for ${what}`)
    await Bun.sleep(20)
  }
}

export const succeeds = (work: unknown): Promise<boolean> =>
  Promise.resolve(work).then(
    () => true,
    () => false,
  )

/** Whether a request to this URL gets no response. */
export const isRefused = async (url: string) => !(await succeeds(fetch(url)))
