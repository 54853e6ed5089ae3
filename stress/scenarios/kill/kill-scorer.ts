import { join } from 'node:path'
import { loadRules } from '../../../src/core/scoring/load-rules.ts'
import { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import type { RuleSet } from '../../../src/core/scoring/stamped-rule-set.ts'
import { toAppliedRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import { start } from '../../../test/support/cli.ts'
import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom } from '../../../test/support/random.ts'
import { databaseMaker } from '../../../test/support/store/engines.ts'
import { INVENTED } from '../../../test/support/store/json-lines.ts'
import { RULE_SETS } from '../../../test/support/store/open.ts'
import { check, type Scenario } from '../../run-scenario.ts'
import {
  checkFile,
  checkSame,
  everythingIn,
  exportOf,
  type Sandbox,
  withoutDates,
} from '../../support/database-checks.ts'
import { killWhen, killWithin, timeOf } from '../../support/kill-process.ts'

/** The multipliers of two rule sets, which give different scores. */
const SETS = [1, 2]

export const killScorer: Scenario = {
  name: 'kill-scorer',
  title: 'SIGKILL of a scorer at a random moment',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(21)
    const people = SCORABLE.slice(0, times > 1 ? 300 : 100)
    await using undisturbed = await prepare(people)
    const duration = await timeOf(async () => (await undisturbed.startScorer(1, ['--all'])).exited)
    const expected = new Map<number, Record<string, string>>()
    for (const set of SETS) {
      await undisturbed.score(set)
      expected.set(set, withoutDates(await exportOf(undisturbed)))
    }

    await using sandbox = await prepare(people)
    let [kills, midway] = [0, 0]
    while (kills < times) {
      const set = random.pick(SETS)
      const child = await sandbox.startScorer(set, random.pick([['--all'], ['--all', '--watch']]))
      const isKilled = random.chance(0.3)
        ? await killWithin(child, duration, random)
        : await killMidway(sandbox, child, random.whole(0, people.length - 1))
      if (isKilled) kills++
      await check(fail, `kill ${kills}`, async () => {
        checkFile(sandbox)
        const stale = await sandbox.look(({ scoring }) => scoring.countStale())
        if (stale > 0 && stale < people.length) midway++
        // In 40 % of the rounds, no scorer completes before the next kill.
        if (random.chance(0.4)) return
        await sandbox.score(set)
        checkSame(withoutDates(await exportOf(sandbox)), expected.get(set) ?? {})
      })
    }
    await check(fail, 'at the end', async () => {
      for (const each of [undisturbed, sandbox]) await each.score(1)
      checkSame(withoutDates(await everythingIn(sandbox)), withoutDates(await everythingIn(undisturbed)))
      checkFile(sandbox)
    })
    return { count: kills, note: `${midway} left some scores stale` }
  },
}

/** Kills a scorer when `left` passports are stale. A random kill often comes before or after the scoring. */
async function killMidway(sandbox: Pick<Sandbox, 'open'>, child: Bun.Subprocess, left: number) {
  await using store = await sandbox.open()
  let hasBegun = false
  return await killWhen(child, async () => {
    const stale = await store.scoring.countStale()
    hasBegun ||= stale > left
    return hasBegun && stale <= left
  })
}

const SCORABLE = INVENTED.slice(0, 300).map((person) => ({
  ...person,
  dataPoints: [
    {
      type: 'github',
      account: '',
      display: '',
      value: { kind: 'number' as const, amount: person.id * 3 + 1 },
    },
  ],
}))

function rules(multiplier: number): string {
  const rule = {
    name: 'GitHub',
    category: 'Skills',
    max_score: 9000,
    convert: 'none',
    multiplier,
    accounts: 'best',
    proves_human: false,
  }
  return JSON.stringify({ version: `${multiplier}`, types: { github: rule } })
}

/** Scores the people with each rule set, so that no score of the imported records is left. */
async function prepare(people: typeof SCORABLE) {
  const files = { '1.json': rules(1), '2.json': rules(2) }
  const sandbox = await workplace(databaseMaker('sqlite'), { files, records: people })
  async function apply(set: number): Promise<RuleSet> {
    const rules = await loadRules(join(sandbox.cwd, `${set}.json`))
    await sandbox.look((store) => store.data(RULE_SETS).apply(toAppliedRules(rules, 'apply', Date.now())))
    return rules
  }
  async function score(set: number): Promise<void> {
    const rules = await apply(set)
    const onFailure = (id: number, error: unknown) => {
      throw new Error(`Scoring of passport ${id} failed`, { cause: error })
    }
    await sandbox.look(async (store) => {
      await adoptRules({ store, rules })
      while (await rescoreSome({ store, rules, now: Date.now, onFailure }));
    })
  }
  for (const set of SETS) await score(set)
  return {
    ...sandbox,
    score,
    async startScorer(set: number, options: readonly string[]) {
      await apply(set)
      return start(['score', ...options], sandbox)
    },
  }
}
