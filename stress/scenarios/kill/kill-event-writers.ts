import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import { checkFile, checkSame, type Sandbox } from '../../support/database-checks.ts'
import { succeed } from '../../support/kill-process.ts'
import { createEventFollower, projectionOf } from '../../support/passports-from-events.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
/** The longest time between two kills in milliseconds. */
const LONGEST_PAUSE = 1500

export const killEventWriters: Scenario = {
  name: 'kill-event-writers',
  title: 'SIGKILL of an importer or a scorer while a reader follows the event log',
  long: 100,
  short: 1,
  async run(times, fail) {
    let [kills, read] = [0, 0]
    for (const engine of ENGINES) {
      const result = await runEngine(engine, Math.ceil(times / ENGINES.length), fail)
      kills += result.kills
      read += result.read
    }
    return { count: kills, note: `${read} events without gap, duplicate or disorder` }
  },
}

async function runEngine(engine: EngineName, times: number, fail: Fail) {
  const random = createRandom(7)
  await using sandbox = await workplace(databaseMaker(engine))
  const workers = times > 1 ? 4 : 2
  const people = times > 1 ? 150 : 50
  await using store = await sandbox.open()
  const follower = createEventFollower(store, fail)
  const jobs = Array.from({ length: workers }, (_, index) => [
    keepRunning(sandbox, () => ['import', writeFile(sandbox, `${index}.jsonl`, people, random)]),
    keepRunning(sandbox, () => ['score', random.pick(['--all', '--watch'])]),
  ]).flat()
  let kills = 0
  while (kills < times) {
    await follower.until(performance.now() + random.next() * LONGEST_PAUSE)
    if (await random.pick(jobs).kill()) kills++
  }
  await check(fail, `${engine}: at the end`, async () => {
    for (const job of jobs) await job.stop()
    checkFile(sandbox)
    // The second import changes all fields after the follower has read them.
    for (let times = 0; times < 2; times++) {
      await succeed(sandbox.run('import', writeFile(sandbox, 'last.jsonl', people, random)))
      await follower.catchUp()
    }
    await succeed(sandbox.run('score', '--all'))
    await follower.catchUp()
    checkSame(follower.copy(), await projectionOf(store))
  })
  return { kills, read: follower.count() }
}

/** Runs commands one after another, each in a new process. */
function keepRunning(sandbox: Sandbox, nextArgs: () => string[]) {
  let child: ReturnType<Sandbox['start']> | undefined
  let isStopped = false

  async function run(): Promise<void> {
    while (!isStopped) {
      child = sandbox.start(...nextArgs())
      await child.exited
      if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL')
        throw new Error(`A command failed: ${await new Response(child.stderr).text()}`)
    }
  }
  let failure: unknown
  const running = run().catch((error) => {
    failure = error
  })

  return {
    /** Returns false if the process ended by itself. */
    async kill(): Promise<boolean> {
      if (failure) throw failure
      const killed = child
      killed?.kill('SIGKILL')
      await killed?.exited
      return killed?.signalCode === 'SIGKILL'
    },
    async stop(): Promise<void> {
      isStopped = true
      child?.kill('SIGKILL')
      await running
      if (failure) throw failure
    },
  }
}

/** Writes passports and data points with random values, and returns the name of the file. */
function writeFile({ cwd }: Sandbox, name: string, people: number, random: Random): string {
  const lines = Array.from({ length: people }, (_, id) => [
    {
      passport_id: id,
      connections_count: random.whole(0, 9),
      human_checkmark: random.chance(0.5),
      main_wallet: `0x${id}${random.pick(['a', 'b'])}`,
      verified_wallets: random.chance(0.5) ? [`0x${id}c`] : [],
      passport_profile: {
        display_name: random.pick(['Ada', 'Zoë', '']),
        bio: random.pick(['', 'Builds maps.']),
        location: random.pick(['Lisbon', '']),
        tags: random.chance(0.5) ? ['builder'] : [],
      },
      passport_socials: random.chance(0.5) ? [{ source: 'lens', profile_name: `p${id}` }] : [],
      ...(id % 10 === 9 && random.chance(0.1) && { merged_into: id - 1 }),
    },
    { passport: id, type: 'github', value: random.whole(0, 3000) },
    { passport: id, type: 'base_builder', value: random.whole(0, 60) },
  ])
  writeFileSync(
    join(cwd, name),
    lines
      .flat()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  )
  return name
}
