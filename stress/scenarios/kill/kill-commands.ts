import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName, saveRecords } from '../../../test/support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../../test/support/store/json-lines.ts'
import { dataPoint } from '../../../test/support/store/records.ts'
import { kiteRules } from '../../../test/support/store/rule-files.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import {
  checkFile,
  checkSame,
  countPassports,
  everythingIn,
  responsesIn,
  type Sandbox,
  type Texts,
  withoutDates,
} from '../../support/database-checks.ts'
import { killWhen, killWithin, succeed, timeOf } from '../../support/kill-process.ts'

/** A command that changes a database, and must end with the same database after any number of kills. */
type Command = AsyncDisposable & {
  args: readonly string[]
  /** Makes a place in which the command has not run yet. */
  prepare(engine: EngineName): Promise<Sandbox>
  read(sandbox: Sandbox): Promise<Texts>
  /** What the completed command must leave, if not what a run without kills leaves. */
  expected?: () => Promise<Texts>
  /** Throws if a killed command left an incomplete transaction. */
  checkPart?: (sandbox: Sandbox) => Promise<void>
  /** Runs after each kill. */
  afterKill?: (random: Random) => Promise<void>
}

/** Of six databases one is on PostgreSQL: a killed client cannot damage its files. */
const ENGINES: readonly EngineName[] = ['sqlite', 'sqlite', 'postgres', 'sqlite', 'sqlite', 'sqlite']

const repeatKills = (name: string, title: string, long: number, open: () => Promise<Command>): Scenario => ({
  name,
  title,
  long,
  short: 1,
  async run(times, fail) {
    const random = createRandom(20)
    await using command = await open()
    const undisturbed = new Map<EngineName, Undisturbed>()
    let [kills, midway] = [0, 0]
    for (let round = 0; kills < times; round++) {
      const engine = ENGINES[round % ENGINES.length] as EngineName
      const known = undisturbed.get(engine) ?? (await runUndisturbed(command, engine))
      undisturbed.set(engine, known)
      const result = await killUntilEnd(command, engine, known, { most: times - kills, random, fail })
      kills += result.kills
      midway += result.midway
    }
    return { count: kills, note: `${midway} left a part of the work` }
  },
})

type Undisturbed = { milliseconds: number; events: number; texts: Texts }

async function runUndisturbed(command: Command, engine: EngineName): Promise<Undisturbed> {
  await using sandbox = await command.prepare(engine)
  const milliseconds = await timeOf(() => succeed(sandbox.run(...command.args)))
  return {
    milliseconds,
    events: await countEvents(sandbox),
    texts: withoutDates(await command.read(sandbox)),
  }
}

type Kills = { most: number; random: Random; fail: Fail }

/** Starts the command and kills it, until it ends or was killed often enough. Then runs it to its end. */
async function killUntilEnd(
  command: Command,
  engine: EngineName,
  undisturbed: Undisturbed,
  { most, random, fail }: Kills,
) {
  await using sandbox = await command.prepare(engine)
  const before = await countEvents(sandbox)
  let [kills, midway, events] = [0, 0, before]
  for (let isKilled = true; isKilled && kills < most; ) {
    const child = sandbox.start(...command.args)
    const event = random.whole(before, undisturbed.events - 1)
    isKilled = random.chance(0.5)
      ? await killWithin(child, undisturbed.milliseconds, random)
      : await killAfter(sandbox, child, event)
    if (isKilled) kills++
    await check(fail, `${engine}, kill ${kills}`, async () => {
      checkFile(sandbox)
      const saved = await countEvents(sandbox)
      if (saved < events) throw new Error(`${saved} of ${events} events remain`)
      if (saved > before && saved < undisturbed.events) midway++
      events = saved
      await command.checkPart?.(sandbox)
    })
    await command.afterKill?.(random)
  }
  await check(fail, `${engine}, after kill ${kills}`, async () => {
    // The second run of a mirror copies the changes that were made during the first one.
    for (let run = 0; run < 2; run++) await succeed(sandbox.run(...command.args))
    checkSame(withoutDates(await command.read(sandbox)), (await command.expected?.()) ?? undisturbed.texts)
    checkFile(sandbox)
  })
  return { kills, midway }
}

/** Kills a command when it has saved this event. A random moment is often before or after the writes. */
async function killAfter(sandbox: Sandbox, child: Bun.Subprocess, event: number): Promise<boolean> {
  await using store = await sandbox.open()
  return await killWhen(child, async () => (await store.events.log()).last > event)
}

const countEvents = (sandbox: Sandbox) => sandbox.look(async ({ events }) => (await events.log()).last)

const nothing = { [Symbol.asyncDispose]: async () => undefined }

/** The number of lines that `import` saves in one transaction. */
const BATCH = 500

async function openImport(): Promise<Command> {
  const people = INVENTED.slice(0, BATCH)
  // One batch for each operation: add, change, add data points, remove.
  const lines = [
    linesOf(people),
    linesOf(people, 1),
    linesOf(people.map((person) => ({ ...person, connections: person.connections + 1 }))),
    toLines(...people.map(({ id }) => ({ passport: id, type: 'github', value: id }))),
    toLines(...people.map(({ id }) => ({ passport_id: id + 1000, removed: true }))),
  ].join('')
  return {
    args: ['import', 'many.jsonl'],
    prepare: (engine) => workplace(databaseMaker(engine), { files: { 'many.jsonl': lines }, bare: true }),
    read: everythingIn,
    async checkPart(sandbox) {
      const count = await countPassports(sandbox)
      if (count % BATCH !== 0)
        throw new Error(`${count} passports were saved, which is not a multiple of ${BATCH}`)
    },
    ...nothing,
  }
}

/** Another rule set is applied, so that each passport needs a new score. */
async function openScorer(): Promise<Command> {
  const files = { 'one.json': kiteRules('one'), 'two.json': kiteRules('two', { multiplier: 2 }) }
  const records = INVENTED.map((person, at) => ({
    ...person,
    dataPoints: [dataPoint('kites', 1 + (at % 40))],
  }))
  return {
    args: ['score', '--all'],
    async prepare(engine) {
      const sandbox = await workplace(databaseMaker(engine), { files, records })
      for (const line of ['rules apply one.json', 'score --all', 'rules apply two.json'])
        await succeed(sandbox.run(...line.split(' ')))
      return sandbox
    },
    read: everythingIn,
    ...nothing,
  }
}

/** The passports of the source change after each kill. */
async function openMirror(): Promise<Command> {
  const people = INVENTED.filter(({ stale }) => !stale).slice(0, 200)
  const source = await workplace(databaseMaker('sqlite'), { records: people })
  const server = await source.serve([], { TIERS: 'anonymous=unlimited' })
  let changes = 0
  return {
    args: ['mirror', server.url, '--rate', '100000', '--concurrency', '8'],
    prepare: (engine) => workplace(databaseMaker(engine)),
    read: (sandbox) => sandbox.look(responsesIn),
    expected: async () => withoutDates(await source.look(responsesIn)),
    async afterKill(random) {
      changes++
      const changed = random.sample(people, 50).map((person) => ({ ...person, connections: changes }))
      await source.look((store) => saveRecords(store, changed))
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await source[Symbol.asyncDispose]()
    },
  }
}

export const killCommands: readonly Scenario[] = [
  repeatKills('kill-import', 'SIGKILL of an import at a random moment', 30, openImport),
  repeatKills('kill-scorer', 'SIGKILL of a scorer at a random moment', 20, openScorer),
  repeatKills('kill-mirror', 'SIGKILL of a mirror at a random moment', 20, openMirror),
]
