import { expect, test } from 'bun:test'
import type { LogEvent } from '../../../src/core/history/event.ts'
import { adoptRules, rescoreSome } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES, type RuleSet, stampRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { diffOf, listLater } from '../../support/store/events-after-time.ts'
import { readStates } from '../../support/store/read-score-states.ts'
import { credential, NOON, record } from '../../support/store/records.ts'
import { hand, scorerOf } from '../../support/store/scoring.ts'
import { copyPassports, tableOf } from '../../support/store/store-changes.ts'

const [HOUR, YEAR] = [3_600_000, 365 * 86_400_000]
const github = { type: 'github', account: '', display: '', value: { kind: 'number' as const, amount: 400 } }
const oneYear = { kind: 'date' as const, amount: NOON - YEAR }
const ens = { type: 'ens', account: '', display: '', value: oneYear, issuer: 'ann' }

async function allEvents({ events }: Store): Promise<LogEvent[]> {
  return (await events.list({ after: 0, limit: 1000 })).events
}

/** Returns the events that `work` adds. */
async function eventsOf(store: Store, work: () => unknown) {
  const { last } = await store.events.log()
  await work()
  const { events } = await store.events.list({ after: last, limit: 1000 })
  return events.map(({ sequence: _, time: __, actor: ___, ...event }) => event)
}

async function scoreAt(store: Store, now: number, rules: RuleSet = DEFAULT_RULES): Promise<void> {
  while (await rescoreSome({ ...scorerOf(store), rules, now: () => now }));
}

onEveryEngine('events', (open) => {
  test('the event of a changed record names the changed fields, but not their values', async () => {
    await using store = await open([record(7, { profile: { bio: 'old' } })])
    const change = record(7, {
      mainWallet: '0x7',
      verifiedWallets: ['0x7'],
      connections: 3,
      socials: [],
      profile: { bio: 'new', tags: ['a'] },
    })
    expect(await eventsOf(store, () => saveRecords(store, [change]))).toEqual([
      {
        type: 'passport.changed',
        passportId: 7,
        fields: [
          'connections_count',
          'main_wallet',
          'verified_wallets',
          'passport_profile.bio',
          'passport_profile.tags',
        ],
      },
    ])
    expect(await eventsOf(store, () => saveRecords(store, [change]))).toEqual([])
  })

  test('the event of a record with another score has the cause of each changed credential', async () => {
    const before = [credential('a', { type: 'ens', score: 2 }), credential('b', { type: 'kites', score: 1 })]
    await using store = await open([record(7, { scores: { total: 3, identity: 3 }, credentials: before })])
    const after = [credential('a', { type: 'ens', score: 5 }), credential('c', { type: 'lens', score: 1 })]
    const changed = record(7, {
      scores: { total: 6, identity: 6 },
      credentials: after,
      calculatedAt: NOON + 1,
    })
    const [event] = await eventsOf(store, () => saveRecords(store, [changed]))
    expect(event).toEqual({
      type: 'score.changed',
      passportId: 7,
      change: {
        score: [3, 6],
        identity: [3, 6],
        calculatedAt: [NOON, NOON + 1],
        rules: ['', ''],
        credentials: [
          { type: 'lens', cause: 'added', score: [null, 1], before: {} },
          { type: 'ens', cause: 'record', score: [2, 5], before: {} },
          {
            type: 'kites',
            id: 'b',
            cause: 'gone',
            score: [1, null],
            before: { name: 'ENS', category: 'Identity', maxScore: 5, value: '', calculatedAt: NOON },
          },
        ],
      },
    })
  })

  test('the event of a changed score says whether a value, the time or the rule set is the cause', async () => {
    await using store = await open([record(7)])
    await hand(store, { id: 7 }, github)
    await hand(store, { id: 7 }, ens)
    await scoreAt(store, NOON)
    const causes = async (work: () => unknown) =>
      (await eventsOf(store, work)).flatMap((event) =>
        event.type === 'score.changed'
          ? event.change.credentials.map(({ type, cause }) => `${type} ${cause}`)
          : [],
      )
    // The display text stays the same, so that only the amount shows the change.
    await hand(store, { id: 7 }, { ...github, value: { kind: 'number', amount: 900 } })
    expect(await causes(() => scoreAt(store, NOON))).toEqual(['github value'])
    await store.scoring.markAll()
    expect(await causes(() => scoreAt(store, NOON + 2 * YEAR))).toEqual(['ens time'])
    // A new rule set that gives the same points is not the cause of a later change.
    const same = { ...DEFAULT_RULES, stamp: 'same' }
    await adoptRules({ store, rules: same })
    await store.scoring.markAll()
    expect(await causes(() => scoreAt(store, NOON + 3 * YEAR, same))).toEqual(['ens time'])
    const other = otherRules()
    await adoptRules({ store, rules: other })
    expect(await causes(() => scoreAt(store, NOON + 3 * YEAR, other))).toEqual(['github rules'])
  })

  test('new rules are the cause if an account counts by them, or if they choose another text', async () => {
    const [type = { accounts: 'best' }, { stamp: _, ...shape }] = [DEFAULT_RULES.types.github, DEFAULT_RULES]
    const withGithub = (rule: object) =>
      stampRules({ ...shape, types: { ...shape.types, github: { ...type, ...rule } } } as never)
    await using store = await open([record(7), record(8)])
    const unique = withGithub({ unique: 'first' })
    await adoptRules({ store, rules: unique })
    for (const id of [7, 8]) await hand(store, { id }, { ...github, account: 'zoe', issuer: 'ann' })
    await hand(store, { id: 7 }, { ...github, account: 'zia' })
    await scoreAt(store, NOON, unique)
    const sum = withGithub({ accounts: 'sum' })
    await adoptRules({ store, rules: sum })
    const events = await eventsOf(store, () => scoreAt(store, NOON, sum))
    expect(events).toHaveLength(2)
    for (const event of events)
      expect(event).toMatchObject({ change: { credentials: [{ type: 'github', cause: 'rules' }] } })
  })

  test('a diff lists the points lost to a cap as a separate cause', async () => {
    await using store = await open([record(7)])
    await hand(store, { id: 7 }, github)
    await scoreAt(store, NOON)
    const { stamp: _, ...shape } = DEFAULT_RULES
    const capped = stampRules({ ...shape, caps: { Skills: 3 } })
    await adoptRules({ store, rules: capped })
    await scoreAt(store, NOON + 1, capped)
    const state = (await readStates(store)).get(7)
    const { score, causes } = diffOf(state, await listLater(store, [7], NOON))
    expect(score).toEqual([10, 3])
    expect(causes).toEqual([{ delta: -7, cause: 'rules' }])
  })

  test('the times of events never decrease, even if the clock is set back', async () => {
    await using store = await open()
    for (const now of [NOON, NOON - HOUR, NOON + 1]) await saveRecords(store, [record(now)], { now })
    expect((await allEvents(store)).map(({ time }) => time)).toEqual([NOON, NOON, NOON + 1])
  })

  test('copying passports into a store begins a new event log there', async () => {
    await using source = await openTestStore('sqlite', [record(1)])
    await using target = await open([record(2)])
    const before = await target.events.log()
    await copyPassports(source, target)
    const after = await target.events.log()
    expect(after.name).not.toBe(before.name)
    expect(after).toMatchObject({ first: 2, last: 1 })
    expect(after.knownSince).toBeGreaterThan(NOON)
    expect(await allEvents(target)).toEqual([])
    expect(await tableOf(target, 'events')).toBeUndefined()
  })
})

function otherRules(): RuleSet {
  const { stamp: _, ...shape } = DEFAULT_RULES
  const rule = shape.types.github as (typeof shape.types)[string]
  return stampRules({
    ...shape,
    types: { ...shape.types, github: { ...rule, multiplier: rule.multiplier / 2 } },
  })
}
