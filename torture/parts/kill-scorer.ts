import { join } from 'node:path'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { loadRules } from '../../src/scoring/load-rules.ts'
import { adoptRules, rescoreSome } from '../../src/scoring/rescore.ts'
import { start } from '../../test/support/cli.ts'
import { databaseMaker } from '../../test/support/engines.ts'
import { scorerOf } from '../../test/support/histories.ts'
import { INVENTED } from '../../test/support/lines.ts'
import { workplace } from '../../test/support/workplace.ts'
import {
  checkFile,
  checkSame,
  everythingIn,
  killWhen,
  killWithin,
  linesOfExport,
  timeOf,
  type Workplace,
  withoutDates,
} from '../kills.ts'
import { createLedger } from '../ledger.ts'
import type { Part } from '../part.ts'

export const killScorer: Part = {
  name: 'kill-scorer',
  what: 'SIGKILL of a scorer at a random moment',
  long: 20,
  short: 1,
  async run(times, tell) {
    const ledger = createLedger(tell)
    const random = createRandom(21)
    await using undisturbed = await prepare()
    const duration = await timeOf(() => undisturbed.begin(1, ['--all']).exited)
    const expected = new Map<number, Record<string, string>>()
    for (const set of RULE_SETS) {
      await undisturbed.score(set)
      expected.set(set, withoutDates(await linesOfExport(undisturbed)))
    }

    await using here = await prepare()
    let inside = 0
    for (let kill = 1; kill <= times; ) {
      const set = random.pick(RULE_SETS)
      const child = here.begin(set, random.pick([['--all'], ['--all', '--watch']]))
      const isKilled = random.chance(0.3)
        ? await killWithin(child, duration, random)
        : await killMidway(here, child, random.whole(0, PEOPLE.length - 1))
      if (isKilled) kill = ledger.count() + 1
      await ledger.check(`kill ${kill - 1}`, async () => {
        checkFile(here)
        const waiting = await here.look(({ scoring }) => scoring.countStale())
        if (waiting > 0 && waiting < PEOPLE.length) inside++
        // Some are killed once more before they can go on.
        if (random.chance(0.4)) return
        await here.score(set)
        checkSame(withoutDates(await linesOfExport(here)), expected.get(set) ?? {})
      })
    }
    await ledger.check('at the end', async () => {
      for (const each of [undisturbed, here]) await each.score(LAST)
      checkSame(withoutDates(await everythingIn(here)), withoutDates(await everythingIn(undisturbed)))
      checkFile(here)
    })
    return ledger.outcome(`${inside} left scores half done`)
  },
}

/** When as many passports are left to be scored: it may be quick. */
async function killMidway(here: Workplace, child: Bun.Subprocess, left: number): Promise<boolean> {
  await using store = await here.open()
  let hasBegun = false
  return await killWhen(child, async () => {
    const waiting = await store.scoring.countStale()
    hasBegun ||= waiting > left
    return hasBegun && waiting <= left
  })
}

/** Each makes other scores. */
const RULE_SETS = [1, 2]
const LAST = 2

const PEOPLE = INVENTED.slice(0, 300)

/** With facts to be scored. */
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

/** People scored by one rule set after another: the scores that records brought along are gone then. */
async function prepare() {
  const files = { '1.json': rules(1), '2.json': rules(2) }
  const here = await workplace(databaseMaker('sqlite'), { files, records: SCORABLE })
  const by = (set: number) => ({ cwd: here.cwd, env: { ...here.env, RULES: `${set}.json` } })
  async function score(set: number): Promise<void> {
    const rules = await loadRules(join(here.cwd, `${set}.json`))
    await here.look(async (store) => {
      await adoptRules({ store, rules })
      while (await rescoreSome({ ...scorerOf(store), rules }));
    })
  }
  for (const set of RULE_SETS) await score(set)
  return {
    ...here,
    score,
    begin: (set: number, options: readonly string[]) => start(['score', ...options], by(set)),
  }
}
