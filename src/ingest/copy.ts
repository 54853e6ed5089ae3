import type { Part, PartKey, Store } from '../store/store.ts'

/** Items compared, and where they differ written, at a time: few at first, then as many as are not too much. */
const FIRST_STEP = 50
const LARGEST_STEP = 500
const LARGEST_BYTES = 8 * 1024 * 1024

export type CopyOptions = {
  from: Store
  to: Store
  /** Takes in text, and gives a short text that is the same for the same. */
  createDigest: () => { add(text: string): void; end(): string }
  signal: AbortSignal
  /** Each part is walked three times: copied, then read on either side. */
  onProgress: (part: string, done: number) => void
}

/** What was found of a part on either side. */
export type PartReport = {
  name: string
  /** How many items the source has, and how many of them were written, or others taken out. */
  count: number
  written: number
  /** Of the source. */
  checksum: string
  isSame: boolean
}

/**
 * Makes all that `to` keeps equal to what `from` keeps, then reads both again and compares. Where both are equal already
 * nothing is written: a copy that was interrupted goes on, one that is repeated catches up.
 */
export async function copyStore(options: CopyOptions): Promise<PartReport[]> {
  const { from, to, signal, onProgress } = options
  const pairs = from.parts.map((source) => ({
    source,
    target: to.parts.find(({ name }) => name === source.name) as Part,
  }))
  const written: number[] = []
  for (const { source, target } of pairs) written.push(await copyPart(source, target, signal, onProgress))
  const reports: PartReport[] = []
  for (const [at, { source, target }] of pairs.entries()) {
    const wanted = await digestPart(source, options)
    const there = await digestPart(target, options)
    const isSame = wanted.count === there.count && wanted.digest === there.digest
    reports.push({
      name: source.name,
      count: wanted.count,
      written: written[at] ?? 0,
      checksum: wanted.digest,
      isSame,
    })
  }
  return reports
}

/** The same for stores that keep the same. */
export async function digestStore(
  { parts }: Store,
  options: Omit<CopyOptions, 'from' | 'to'>,
): Promise<string> {
  const digest = options.createDigest()
  for (const part of parts) digest.add((await digestPart(part, options)).digest)
  return digest.end()
}

/** Gives back how many items were written or taken out. */
async function copyPart(
  source: Part,
  target: Part,
  signal: AbortSignal,
  onProgress: CopyOptions['onProgress'],
): Promise<number> {
  let after: PartKey | undefined
  let written = 0
  let step = FIRST_STEP
  for (let done = 0; ; ) {
    signal.throwIfAborted()
    const wanted = await source.list({ after, limit: step })
    // After the last item of the source there must be none here either.
    const until = wanted.length < step ? undefined : wanted.at(-1)?.key
    const there = await target.list({ after, until, limit: step + 1 })
    const text = JSON.stringify(wanted)
    step = nextStep(wanted.length, text.length)
    if (text !== JSON.stringify(there)) {
      await target.replace({ after, until }, wanted)
      written += Math.max(wanted.length, there.length)
    }
    done += wanted.length
    onProgress(source.name, done)
    if (until === undefined) return written
    after = until
  }
}

async function digestPart(
  { name, list }: Part,
  { createDigest, signal, onProgress }: Omit<CopyOptions, 'from' | 'to'>,
) {
  const digest = createDigest()
  let after: PartKey | undefined
  let count = 0
  let step = FIRST_STEP
  for (;;) {
    signal.throwIfAborted()
    const items = await list({ after, limit: step })
    let bytes = 0
    for (const item of items) {
      const text = JSON.stringify(item)
      digest.add(`${text}\n`)
      bytes += text.length
    }
    count += items.length
    onProgress(name, count)
    if (items.length < step) return { count, digest: digest.end() }
    after = items.at(-1)?.key
    step = nextStep(items.length, bytes)
  }
}

/** As many items of this size as are not too much at once. */
function nextStep(count: number, bytes: number): number {
  const fitting = Math.floor(LARGEST_BYTES / Math.max(1, bytes / Math.max(1, count)))
  return Math.max(1, Math.min(LARGEST_STEP, fitting))
}
