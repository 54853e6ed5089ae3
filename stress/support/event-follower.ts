import type { LogEvent } from '../../src/domain/v3/event.ts'
import type { Store } from '../../src/store/store.ts'
import type { Fail } from '../scenario.ts'

type Copy = {
  score: number
  human: boolean
  rules: string
  mergedInto?: number
  credentials: Map<string, number>
}

/** Reads the event log and applies the events to a copy. Passports without credentials in their records are complete. */
export function createEventFollower({ events }: Store, fail: Fail) {
  const passports = new Map<number, Copy>()
  let after = 0
  let count = 0
  let time = 0

  function receive(event: LogEvent): void {
    if (event.sequence !== count + 1) fail(`event ${event.sequence} follows ${count}`)
    if (event.time < time) fail(`event ${event.sequence} is older than the one before`)
    count = event.sequence
    time = event.time
    apply(passports, event)
  }

  /** Returns whether there may be more events. */
  async function readPage(): Promise<boolean> {
    const page = await events.list({ after, limit: 1000 })
    page.events.forEach(receive)
    after = page.end
    return page.events.length > 0
  }

  async function catchUp(): Promise<void> {
    while (await readPage());
  }

  return {
    catchUp,
    count: () => count,
    /** Follows the log until a time. */
    async until(end: number): Promise<void> {
      do {
        await catchUp()
        await Bun.sleep(5)
      } while (performance.now() < end)
    },
    copy: () => Object.fromEntries([...passports].map(([id, copy]) => [`passport ${id}`, describe(copy)])),
  }
}

function apply(passports: Map<number, Copy>, event: LogEvent): void {
  if (event.type === 'rules.changed') return
  if (event.type === 'passport.added') {
    const { score, human, rules } = event
    passports.set(event.passportId, { score, human, rules, credentials: new Map() })
    return
  }
  const copy = passports.get(event.passportId)
  if (!copy) throw new Error(`Event ${event.sequence} is about an unknown passport ${event.passportId}.`)
  if (event.type === 'passport.removed') passports.delete(event.passportId)
  if (event.type === 'passport.merged') copy.mergedInto = event.into
  if (event.type === 'passport.unmerged') delete copy.mergedInto
  if (event.type !== 'score.changed') return
  const { score, rules, human, credentials } = event.change
  // Both values must fit, or an event was lost.
  if (score[0] !== copy.score || rules[0] !== copy.rules)
    throw new Error(
      `Event ${event.sequence} changes ${score[0]} by ${rules[0]}, not ${copy.score} by ${copy.rules}.`,
    )
  copy.score = score[1]
  copy.rules = rules[1]
  if (human) copy.human = human[1]
  for (const { type, score } of credentials) {
    if (score[1] === null) copy.credentials.delete(type)
    else copy.credentials.set(type, score[1])
  }
}

/** The same texts, from the stored passports. */
export async function projectionOf(store: Store): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const { id, scores, human, rules = '', mergedInto } of await store.records.list(-1, 100_000)) {
    const shown = mergedInto === undefined ? await store.credentials.find({ id }) : undefined
    const credentials = new Map(shown?.credentials.map(({ type, score }) => [type, score]))
    const copy = { score: scores?.total ?? 0, human, rules, credentials }
    texts[`passport ${id}`] = describe(mergedInto === undefined ? copy : { ...copy, mergedInto })
  }
  return texts
}

const describe = ({ credentials, score, human, rules, mergedInto }: Copy) =>
  JSON.stringify([score, human, rules, mergedInto, [...credentials].sort()])
