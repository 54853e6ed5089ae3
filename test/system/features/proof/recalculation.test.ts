import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../../src/core/store/store.ts'
import { readExamples } from '../../../support/docs/docs-runner.ts'
import { serveTest } from '../../../support/http/server.ts'
import { hasPrograms } from '../../../support/programs.ts'
import {
  ALL_OPTIONS,
  fillWithRandomPeople,
  inventPoint,
  TYPES,
} from '../../../support/proof/random-people.ts'
import { listSnapshots, payloadOf, SIGNED, verifySnapshot } from '../../../support/proof/snapshots.ts'
import { createRandom } from '../../../support/random.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { NOON } from '../../../support/store/records.ts'
import { adoptRules, applyRules, fail, parseRules, rescoreSome } from '../../../support/store/scoring.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const DAY = 86_400_000

const PROGRAM = readExamples('docs/proof.md').find(({ file }) => file === 'recalculate.py')?.text as string

/** Calls the program of docs/proof.md for many snapshots at once. */
const CALLER = `
import json
from recalculate import digest_of, recalculate
given = json.load(open("given.json"))
for stamp, rules in given["rules"].items():
    assert digest_of(rules) == rules["digest"], stamp
print(json.dumps([recalculate(subject, given["rules"][subject["rules"]]) for subject in given["subjects"]]))
`

/** Expects that `passportd verify` and the Python program of the docs agree with every served score. */
async function expectProvable(store: Store, ids: readonly number[], now: number): Promise<void> {
  using folder = tempFolder()
  await using server = serveTest(store, { ...SIGNED, now: () => now })
  const snapshots = await listSnapshots(server, ids)
  // People without data points have the scores of their records, which cannot be calculated.
  const subjects = snapshots
    .map((jwt) => payloadOf(jwt).credentialSubject)
    .filter(({ method }) => method === 'rules')
  expect(subjects.length).toBeGreaterThan(ids.length * 0.8)
  const rules: Record<string, unknown> = {}
  for (const stamp of new Set(subjects.map((each) => each.rules as string)))
    rules[stamp] = (await server.get(`/api/v3/rules/${encodeURIComponent(stamp)}`)).body
  const { body: keys } = await server.get('/.well-known/jwks.json')
  const verifier = { keys: () => keys, rules: (stamp: string) => rules[stamp], now }
  const failures = await Promise.all(
    snapshots.map(async (jwt) => (await verifySnapshot(jwt, verifier)).failure),
  )
  expect(failures.filter((each) => each !== undefined)).toEqual([])

  const served: unknown[] = []
  for (const { passport_id: id } of subjects) {
    const { body } = await server.get(`/api/v3/passports/${id}`)
    const { score, activity_score, identity_score, skills_score, human_checkmark } = body
    served.push([score, activity_score, identity_score, skills_score, human_checkmark])
  }
  writeFileSync(join(folder.path, 'recalculate.py'), PROGRAM)
  writeFileSync(join(folder.path, 'given.json'), JSON.stringify({ subjects, rules }))
  const { stdout, stderr } = Bun.spawnSync(['python3', '-c', CALLER], { cwd: folder.path })
  expect(stderr.toString()).toBe('')
  expect(JSON.parse(stdout.toString())).toEqual(served)
}

test.if(hasPrograms('python3'))(
  'the scores of 1,000 random histories with three rule sets can be calculated again',
  async () => {
    await using store = await openTestStore('sqlite')
    const ids = await fillWithRandomPeople(store)
    const random = createRandom(35)
    const { stamp: _, ...shape } = ALL_OPTIONS
    let now = NOON
    for (const [at, factor] of [1, 1.3, 0.7].entries()) {
      now = NOON + at * 40 * DAY
      const types = Object.entries(shape.types).map(([type, rule]) => [
        type,
        { ...rule, multiplier: rule.multiplier * factor },
      ])
      const rules = parseRules({ ...shape, version: `round-${at}`, types: Object.fromEntries(types) })
      await applyRules(store, rules, now)
      await adoptRules({ store, rules, now: () => now })
      const changed = ids
        .filter(() => random.chance(0.6))
        .map((id) => ({
          kind: 'data-point' as const,
          passport: { id },
          point: inventPoint(random, random.pick(TYPES), random.pick(['', `own-${id}`, 'shared-7'])),
        }))
      await store.records.save(changed, { now, restore: false })
      while (await rescoreSome({ store, rules, now: () => now, onFailure: fail }));
    }
    await expectProvable(store, ids, now)
  },
)
