import type { Random } from '../src/ingest/demo/random.ts'

type Options = {
  url: string
  random: Random
  /** What must be answered, by path. */
  model: ReadonlyMap<string, string>
  /** What must be answered well. */
  others: readonly string[]
  tell: (line: string) => void
}

const READERS = 6

/** Callers who ask without a pause, each time over a connection of its own, and hold what they get against a model. */
export function startReaders({ url, random, model, others, tell }: Options) {
  const answered: { began: number; ended: number }[] = []
  const known = [...model.keys()]
  let [asked, wrong] = [0, 0]
  let isOver = false
  /** When connections may break. */
  const breaks = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }

  async function ask(path: string): Promise<void> {
    const began = performance.now()
    asked++
    try {
      const response = await fetch(`${url}/api/v1/${path}`, { keepalive: false })
      const text = `${response.status} ${await response.text()}`
      answered.push({ began, ended: performance.now() })
      const expected = model.get(path)
      if (expected === undefined ? !response.ok : text !== expected) complain(path, text)
    } catch (error) {
      if (performance.now() < breaks.from || began > breaks.to) complain(path, (error as Error).message)
      else await Bun.sleep(5)
    }
  }

  function complain(path: string, text: string): void {
    wrong++
    tell(`${path}: ${text}`)
  }

  async function read(): Promise<void> {
    while (!isOver) await ask(random.pick(random.chance(0.7) ? known : others))
  }
  const reading = Promise.all(Array.from({ length: READERS }, read))

  return {
    breaks,
    async stop() {
      isOver = true
      await reading
      return { asked, wrong, answered }
    },
  }
}
