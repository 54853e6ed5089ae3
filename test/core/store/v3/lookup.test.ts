import { expect, test } from 'bun:test'
import type { Store } from '../../../../src/core/store/store.ts'
import { parsePassportKey } from '../../../support/program/text.ts'
import { onEveryEngine, saveRecords } from '../../../support/store/engines.ts'
import { credential, NOON, PEOPLE, record, social } from '../../../support/store/records.ts'
import { contracts, hand, OPTIONS } from '../../../support/store/scoring.ts'
import { score } from '../../../support/store/store-changes.ts'

const point = (type: string, account: string) => ({ ...contracts(1), type, account, display: '' })

/** For each key, the id that it finds, the candidates if it is ambiguous, or `undefined` if it is unknown. */
async function resolve(store: Store, ...keys: string[]) {
  const parsed = keys.map((key) => parsePassportKey(key))
  expect(parsed).not.toContain(undefined)
  const results = await store.passports.findByKeys(parsed as NonNullable<(typeof parsed)[number]>[], {
    credentials: false,
  })
  return results.map((result) => {
    if (!result) return undefined
    return 'passport' in result ? result.passport.id : result.candidates
  })
}

onEveryEngine('keys of v3', (open) => {
  test('the account of a data point is a handle, with and without a label such as "fid:"', async () => {
    await using store = await open([record(1, { dataPoints: [point('farcaster', 'fid:1042')] }), record(2)])
    await hand(store, { id: 2 }, point('github', 'Zoe'))
    expect(await resolve(store, 'farcaster:1042', 'farcaster:fid:1042', 'github:zoe')).toEqual([1, 1, 2])
  })

  test('names of ENS and similar services in the display texts of data points are handles', async () => {
    const dataPoints = [
      { ...point('ens', ''), display: 'Zoe.eth' },
      { ...point('basename', ''), display: 'zoe.base.eth' },
      { ...point('github', ''), display: '1.5 stars' },
      { ...point('degen', ''), display: '2.50' },
    ]
    await using store = await open([record(1, { dataPoints })])
    expect(await resolve(store, 'ens:zoe.eth', 'basename:zoe.base.eth')).toEqual([1, 1])
    expect(await resolve(store, 'github:1.5 stars', 'degen:2.50')).toEqual([undefined, undefined])
  })

  test('names of ENS and ids of Farcaster in the texts of record credentials are handles of their own type', async () => {
    const credentials = [
      credential('a', { type: 'farcaster', value: 'FID: 501383' }),
      credential('b', { type: 'ens', value: 'Zoe.eth' }),
      credential('c', { type: 'basename', value: 'zoe.base.eth' }),
      credential('d', { type: 'github', value: 'FID: 7' }),
    ]
    await using store = await open([record(1, { credentials })])
    const keys = ['farcaster:501383', 'ens:zoe.eth', 'basename:zoe.base.eth', 'github:7', 'ens:zoe.base.eth']
    expect(await resolve(store, ...keys)).toEqual([1, 1, 1, undefined, undefined])
    await saveRecords(store, [record(1, { credentials: credentials.slice(1) })])
    expect(await resolve(store, ...keys.slice(0, 2))).toEqual([undefined, 1])
  })

  test('a Farcaster id is a handle if the record has its credential without a score, or a data point', async () => {
    const farcaster = (id: number, account = '') => ({
      ...point('farcaster', account),
      display: `FID: ${id}`,
    })
    await using store = await open([
      record(1, { dataPoints: [farcaster(1042)] }),
      record(2, { credentials: [], credentialPoints: [farcaster(7, 'credential:a')] }),
    ])
    const keys = ['farcaster:1042', 'farcaster:7', 'farcaster:1043']
    expect(await resolve(store, ...keys)).toEqual([1, 2, undefined])
    await hand(store, { id: 1 }, farcaster(1043))
    await score(store)
    expect(await resolve(store, ...keys)).toEqual([undefined, 2, 1])
  })

  test('a passport with several records in a batch has the handles of the last record', async () => {
    await using store = await open([record(1, { socials: [social('lens', 'old')] })])
    const named = (id: number, name: string) => ({
      kind: 'passport' as const,
      passport: record(id, { socials: [social('lens', name)] }),
    })
    const account = { kind: 'data-point', passport: { id: 2 }, point: point('github', 'two') } as const
    const removal = { kind: 'removal', id: 1 } as const
    const batch = [named(2, 'first'), named(2, 'second'), account, removal, named(1, 'again')]
    await store.records.save(batch, { ...OPTIONS, restore: true })
    const keys = ['lens:first', 'lens:second', 'github:two', 'lens:old', 'lens:again']
    expect(await resolve(store, ...keys)).toEqual([undefined, 2, 2, undefined, 1])
    await hand(store, { id: 1 }, point('github', 'one'))
    expect(await resolve(store, 'github:one', 'lens:again')).toEqual([1, 1])
  })

  test('a handle that several passports have is ambiguous until all but one are removed or merged', async () => {
    const zoe = { socials: [social('github', 'zoe')] }
    await using store = await open([record(1, zoe), record(2, zoe), record(3, zoe)])
    expect(await resolve(store, 'github:zoe')).toEqual([[1, 2, 3]])
    await store.passports.remove(1, NOON)
    expect(await resolve(store, 'github:zoe')).toEqual([[2, 3]])
    await store.passports.merge(3, 2)
    expect(await resolve(store, 'github:zoe', '3')).toEqual([2, 2])
    await store.passports.unmerge(3)
    expect(await resolve(store, 'github:zoe')).toEqual([[2, 3]])
  })

  test('a handle with more than 32 owners is ambiguous even if they are merged, and the lookup names at most 10', async () => {
    const zoe = { socials: [social('github', 'zoe')] }
    const many = Array.from({ length: 40 }, (_, id) => record(id, zoe))
    await using store = await open(many)
    expect(await resolve(store, 'github:zoe')).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
    await saveRecords(
      store,
      many.slice(1).map((each) => ({ ...each, mergedInto: 0 })),
    )
    expect(await resolve(store, 'github:zoe', '39')).toEqual([[0], 0])
  })

  test('a wallet address with a colon is found, and a chain of merges leads to the survivor', async () => {
    await using store = await open([
      record(1, { mainWallet: 'kaspa:qq1', mergedInto: 2 }),
      record(2, { mergedInto: 3 }),
      record(3),
      record(4, { mergedInto: 99 }),
    ])
    expect(await resolve(store, 'kaspa:qq1', '1', '2', '4')).toEqual([3, 3, 3, undefined])
    const [found] = await store.passports.findByKeys([{ id: 1 }], { credentials: true })
    expect(found).toMatchObject({ passport: { id: 3, mergedFrom: [1, 2], credentials: [] } })
  })

  test('one lookup stops at a limit of bytes, but reads at least one passport', async () => {
    const bio = 'x'.repeat(10_000)
    const large = { ...social('lens', 'a'), bio: 'y'.repeat(20_000) }
    const one = (id: number) => record(id, { profile: { bio }, socials: Array(15).fill(large) })
    await using store = await open([one(0), one(1), one(2)])
    const keys = [0, 1, 2].map((id) => ({ id }))
    const results = await store.passports.findByKeys(keys, { credentials: false })
    expect(results).toMatchObject([{ passport: { id: 0 } }, { passport: { id: 1 } }])
    expect(await store.passports.findByKeys(keys.slice(2), { credentials: false })).toHaveLength(1)
  })

  test('keys that contain SQL or JSON are treated as plain text', async () => {
    await using store = await open(PEOPLE)
    const odd = [...'{}"\\,\'', 'NULL', 'null', '{"a"}', 'a\\"b', "lens:' or 1=1", 'lens:"', 'lens:\\']
    expect(await resolve(store, ...odd, '7')).toEqual([...odd.map(() => undefined), 7])
  })
})
