/** What is read, and what of its body stays the same whatever else is written. */
export type Target = { path: string; lasting: (body: Record<string, unknown>) => unknown; within: number }

const AWAY = 'The service cannot reach its data right now. Try again shortly.'
const READERS = 4
const PAUSE_MILLISECONDS = 10
/** A caller who waits this long has been forgotten. */
const FORGOTTEN_MILLISECONDS = 20_000

/** Reads from all nodes all the time; every answer must be right, or a 503 as it is promised, and come in time. */
export async function startReading(
  urls: readonly string[],
  targets: readonly Target[],
  tell: (wrong: string) => void,
) {
  const right = new Map<Target, string>()
  const counts = { answers: 0, away: 0, slowest: 0 }
  let ended = false

  async function ask(url: string, target: Target): Promise<void> {
    const begin = performance.now()
    const response = await fetch(url + target.path, { signal: AbortSignal.timeout(FORGOTTEN_MILLISECONDS) })
    const text = await response.text()
    const time = performance.now() - begin
    counts.answers++
    counts.slowest = Math.max(counts.slowest, Math.round(time))
    const fault =
      judge(target, response, text) ?? (time > target.within ? `came after ${Math.round(time)} ms` : '')
    if (fault !== '') tell(`${target.path}: ${fault}`)
  }

  function judge(target: Target, { status, headers }: Response, text: string): string | undefined {
    if (status === 200) return isRight(target, text) ? undefined : `said ${text.slice(0, 200)}`
    if (status !== 503) return `was ${status} ${text.slice(0, 200)}`
    counts.away++
    const { error, code, request_id } = JSON.parse(text)
    const isPromised =
      error === AWAY &&
      code === 'unavailable' &&
      request_id === headers.get('X-Request-Id') &&
      headers.get('Retry-After') === '2'
    return isPromised ? undefined : `was 503 ${text.slice(0, 200)}`
  }

  function isRight(target: Target, text: string): boolean {
    const lasting = JSON.stringify(target.lasting(JSON.parse(text)))
    if (!right.has(target)) right.set(target, lasting)
    return lasting === right.get(target)
  }

  async function read(url: string, first: number): Promise<void> {
    for (let turn = first; !ended; turn++) {
      const target = targets[turn % targets.length] as Target
      await ask(url, target).catch((error) => tell(`${target.path}: ${error}`))
      await Bun.sleep(PAUSE_MILLISECONDS)
    }
  }

  // What is right is what is said before anything happens.
  for (const target of targets) for (const url of urls) await ask(url, target)
  const reading = urls.flatMap((url) => Array.from({ length: READERS }, (_, first) => read(url, first)))
  return {
    counts,
    async end() {
      ended = true
      await Promise.all(reading)
    },
  }
}
