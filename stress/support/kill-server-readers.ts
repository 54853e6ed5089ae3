import type { Random } from '../../test/support/random.ts'

type Options = {
  url: string
  random: Random
  /** The exact bodies that these paths must have. */
  expected: ReadonlyMap<string, string>
  /** Paths whose response must have the status 200. */
  others: readonly string[]
  fail: (message: string) => void
}

const READERS = 6

/** Clients that send requests without a pause, each on a new connection. */
export function startReaders({ url, random, expected, others, fail }: Options) {
  const responseTimes: number[] = []
  const cards = new RegExp(`${url}/card/\\d+\\.png`, 'g')
  const known = [...expected.keys()]
  let requests = 0
  let isStopped = false
  let isKilled = false

  async function request(path: string): Promise<void> {
    requests++
    try {
      const response = await fetch(`${url}${path}`, { keepalive: false })
      // The expected bodies are of a server without pages, which has no cards.
      const text = (await response.text()).replaceAll(cards, '')
      responseTimes.push(performance.now())
      const body = expected.get(path)
      if (!response.ok || (body !== undefined && text !== body)) fail(`${path}: ${response.status} ${text}`)
    } catch (error) {
      if (!isKilled) fail(`${path}: ${(error as Error).message}`)
    }
  }

  async function read(): Promise<void> {
    while (!isStopped) await request(random.pick(random.chance(0.7) ? known : others))
  }
  const reading = Promise.all(Array.from({ length: READERS }, read))

  return {
    /** Call this before the server is killed. Connection errors are accepted from then on. */
    expectKill(): void {
      isKilled = true
    },
    async stop() {
      isStopped = true
      await reading
      return { requests, responseTimes }
    },
  }
}
