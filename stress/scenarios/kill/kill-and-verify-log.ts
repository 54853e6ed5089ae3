import { writeFileSync } from 'node:fs'
import { workplace } from '../../../test/support/cli-sandbox.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import type { Sandbox } from '../../support/database-checks.ts'
import { killWithin, succeed } from '../../support/kill-process.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
/** The longest life of a killed importer or server, in milliseconds. */
const LONGEST_LIFE = 2000
/** One of this many passports is removed before each check. */
const REMOVED = 50

export const killAndVerifyLog: Scenario = {
  name: 'kill-and-verify-log',
  title: 'SIGKILL of an importer, and of a server that advances the head; then `verify --log`',
  long: 10,
  short: 1,
  async run(times, fail) {
    const [people, length] = times > 1 ? [10_000, 100_000] : [500, 2000]
    let [count, verified] = [0, 0]
    for (const engine of ENGINES) {
      const result = await runEngine(engine, { people, length, kills: Math.ceil(times / 2) }, fail)
      count += result.kills
      verified += result.verified
    }
    return { count, note: `${verified} events verified against the head that was stored before each kill` }
  },
}

type Size = { people: number; length: number; kills: number }

async function runEngine(engine: EngineName, { people, length, kills }: Size, fail: Fail) {
  const random = createRandom(34)
  await using sandbox = await workplace(databaseMaker(engine))
  await using store = await sandbox.open()
  const { key } = await makeKey(store, 1, { tier: 'unlimited' })
  const log = () => store.events.log()
  let killed = 0
  for (let round = 1; (await log()).last < length || killed < kills; round++) {
    writePeople(sandbox, people, round)
    if (killed < kills) {
      if (await killWithin(sandbox.start('import', 'people.jsonl'), LONGEST_LIFE, random)) killed++
      if (await killFolding(sandbox, key, random)) killed++
    }
    await succeed(sandbox.run('import', 'people.jsonl'))
    if (round % 4 !== 0) continue
    const removed = Array.from({ length: people / REMOVED }, (_, at) => ({
      passport_id: REMOVED * at + (round % REMOVED),
      removed: true,
    }))
    writeLines(sandbox, removed)
    await succeed(sandbox.run('import', 'people.jsonl'))
    await check(fail, `${engine}, round ${round}`, () => verify(sandbox, key))
    // The stored head must stay on the chain, so only events before it are deleted.
    await store.events.prune(Date.now())
  }
  await check(fail, `${engine}: at the end`, () => verify(sandbox, key))
  return { kills: killed, verified: (await log()).last }
}

async function verify(sandbox: Sandbox, key: string): Promise<void> {
  await using server = await sandbox.serve()
  await succeed(sandbox.run('verify', '--log', server.url, '--key', key, '--head', 'head.json'))
}

async function killFolding(sandbox: Sandbox, key: string, random: Random): Promise<boolean> {
  await using server = await sandbox.serve()
  const ask = async () => {
    for (;;) await fetch(`${server.url}/api/v3/log`, { headers: { 'X-API-KEY': key } })
  }
  // The last request fails, because the server is killed.
  const asking = ask().catch(() => undefined)
  const isKilled = await killWithin(server.child, LONGEST_LIFE, random)
  await asking
  return isKilled
}

function writePeople(sandbox: Sandbox, people: number, round: number): void {
  writeLines(
    sandbox,
    Array.from({ length: people }, (_, id) => ({
      passport_id: id,
      connections_count: round,
      human_checkmark: (id + round) % 3 === 0,
      score: (id + round) % 100,
    })),
  )
}

function writeLines({ path }: Sandbox, lines: readonly object[]): void {
  writeFileSync(path('people.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
