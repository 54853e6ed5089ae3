import { join } from 'node:path'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { loadRules } from '../../src/scoring/load-rules.ts'
import { adoptRules, rescoreSome } from '../../src/scoring/rescore.ts'
import { start } from '../../test/support/cli.ts'
import { workplace } from '../../test/support/cli-sandbox.ts'
import { databaseMaker } from '../../test/support/store/engines.ts'
import { INVENTED } from '../../test/support/store/json-lines.ts'
import { check, type Scenario } from '../scenario.ts'
import {
  checkFile,
  checkSame,
  everythingIn,
  exportOf,
  killWhen,
  killWithin,
  timeOf,
  type Workplace,
  withoutDates,
} from '../support/random-kill.ts'

/** Each gives other scores. */
const RULE_SETS = [1, 2]

export const killScorer: Scenario = {
  name: 'kill-scorer',
  title: 'SIGKILL of a scorer at a random moment',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(21)
    await using undisturbed = await prepare()
    const duration = await timeOf(() => undisturbed.startScorer(1, ['--all']).exited)
    const expected = new Map<number, Record<string, string>>()
    for (const set of RULE_SETS) {
      await undisturbed.score(set)
      expected.set(set, withoutDates(await exportOf(undisturbed)))
    }

    await using here = await prepare()
    let [kills, midway] = [0, 0]
    while (kills < times) {
      const set = random.pick(RULE_SETS)
      const child = here.startScorer(set, random.pick([['--all'], ['--all', '--watch']]))
      const isKilled = random.chance(0.3)
        ? await killWithin(child, duration, random)
        : await killMidway(here, child, random.whole(0, PEOPLE.length - 1))
      if (isKilled) kills++
      await check(fail, `kill ${kills}`, async () => {
        checkFile(here)
        const stale = await here.look(({ scoring }) => scoring.countStale())
        if (stale > 0 && stale < PEOPLE.length) midway++
        // Sometimes the next scorer is killed too.
        if (random.chance(0.4)) return
        await here.score(set)
        checkSame(withoutDates(await exportOf(here)), expected.get(set) ?? {})
      })
    }
    await check(fail, 'at the end', async () => {
      for (const each of [undisturbed, here]) await each.score(1)
      checkSame(withoutDates(await everythingIn(here)), withoutDates(await everythingIn(undisturbed)))
      checkFile(here)
    })
    return { count: kills, note: `${midway} left scores half done` }
  },
}

/** When so many passports are left to be scored: a scorer may be quick. */
async function killMidway(here: Pick<Workplace, 'open'>, child: Bun.Subprocess, left: number) {
  await using store = await here.open()
  let hasBegun = false
  return await killWhen(child, async () => {
    const stale = await store.scoring.countStale()
    hasBegun ||= stale > left
    return hasBegun && stale <= left
  })
}

const PEOPLE = INVENTED.slice(0, 300)

const SCORABLE = PEOPLE.map((person) => ({
  ...person,
  dataPoints: [
    { type: 'github', account: '', display: '', value: { kind: 'number' as const, amount: person.id * 3 } },
  ],
}))

function rules(multiplier: number): string {
  const rule = {
    name: 'GitHub',
    category: 'Skills',
    max_score: 90,
    convert: 'none',
    multiplier,
    accounts: 'best',
    proves_human: false,
  }
  return JSON.stringify({ version: `${multiplier}`, types: { github: rule } })
}

/** People that were scored with both rule sets: the scores from their records are gone. */
async function prepare() {
  const files = { '1.json': rules(1), '2.json': rules(2) }
  const here = await workplace(databaseMaker('sqlite'), { files, records: SCORABLE })
  async function score(set: number): Promise<void> {
    const rules = await loadRules(join(here.cwd, `${set}.json`))
    const onFailure = (id: number, error: unknown) => {
      throw new Error(`Scoring of passport ${id} failed`, { cause: error })
    }
    await here.look(async (store) => {
      await adoptRules({ store, rules })
      while (await rescoreSome({ store, rules, now: Date.now, onFailure }));
    })
  }
  for (const set of RULE_SETS) await score(set)
  return {
    ...here,
    score,
    startScorer: (set: number, options: readonly string[]) =>
      start(['score', ...options], { cwd: here.cwd, env: { ...here.env, RULES: `${set}.json` } }),
  }
}
