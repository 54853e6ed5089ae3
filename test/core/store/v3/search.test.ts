import { expect, test } from 'bun:test'
import { onEveryEngine } from '../../../support/store/engines.ts'
import { SEARCH } from '../../../support/store/open.ts'
import { record, social } from '../../../support/store/records.ts'

/** The maximum number of sources that a search reads. */
const MOST_SOURCES = 64

const PEOPLE = [
  record(1, {
    mainWallet: '0xDE30ab0000000000000000000000000000000001',
    socials: [social('github', 'Zoe'), social('lens', 'zoe.lens')],
  }),
  record(2, {
    mainWallet: '0xde30ab0000000000000000000000000000000002',
    verifiedWallets: ['0xde31000000000000000000000000000000000002', 'DemoSo1ana'],
    socials: [social('github', 'zoetrope'), social('git', 'zoe'), social('git hub', '東京')],
  }),
  record(3, { socials: [social('github', 'ada'), social('lens', 'zo_e%')] }),
]

onEveryEngine('search by prefix', (open) => {
  test('a search finds handles of one source or of all sources, in alphabetical order', async () => {
    await using empty = await open()
    expect(await empty.data(SEARCH).listNames('zoe', 9)).toEqual([])
    await using store = await open(PEOPLE)
    expect(await store.data(SEARCH).listHandles('github:zoe', 9)).toEqual([
      { text: 'github:zoe', id: 1 },
      { text: 'github:zoetrope', id: 2 },
    ])
    expect((await store.data(SEARCH).listNames('zoe', 9)).map(({ text }) => text)).toEqual([
      'git:zoe',
      'github:zoe',
      'github:zoetrope',
      'lens:zoe.lens',
    ])
    expect(await store.data(SEARCH).listNames('東', 9)).toEqual([{ text: 'git hub:東京', id: 2 }])
    expect((await store.data(SEARCH).listNames('zoe', 1)).map(({ text }) => text)).toEqual([
      'git:zoe',
      'github:zoe',
      'lens:zoe.lens',
    ])
  })

  test('a search finds wallets by prefix, or by prefix and suffix', async () => {
    await using store = await open(PEOPLE)
    expect((await store.data(SEARCH).listWallets('0xde30ab', 9)).map(({ id }) => id)).toEqual([1, 2])
    expect((await store.data(SEARCH).listWallets('0xde30ab', 1)).map(({ id }) => id)).toEqual([1])
    expect(await store.data(SEARCH).listWallets('DemoSo', 9, 'ana')).toEqual([{ text: 'DemoSo1ana', id: 2 }])
    expect(await store.data(SEARCH).listWallets('DemoSo', 9, 'Ana')).toEqual([])
    expect(await store.data(SEARCH).listWallets('DemoSo', 9, '_na')).toEqual([])
    expect(await store.data(SEARCH).listWallets('DemoSo', 9)).toEqual([{ text: 'DemoSo1ana', id: 2 }])
  })

  test('a search treats SQL wildcards and quotes as plain characters', async () => {
    await using store = await open(PEOPLE)
    for (const prefix of ['zo%', '%', '_oe', "zo' or '1'='1"])
      expect(await store.data(SEARCH).listNames(prefix, 9)).toEqual([])
    expect(await store.data(SEARCH).listNames('zo_', 9)).toEqual([{ text: 'lens:zo_e%', id: 3 }])
    expect(await store.data(SEARCH).listWallets('0x__', 9)).toEqual([])
  })

  test('a search reads a limited number of sources', async () => {
    const socials = Array.from({ length: MOST_SOURCES + 5 }, (_, at) => social(`s${100 + at}`, 'zoe'))
    await using store = await open([record(1, { socials })])
    expect(await store.data(SEARCH).listNames('zoe', 9)).toHaveLength(MOST_SOURCES)
    expect(await store.data(SEARCH).listHandles('s168:zoe', 9)).toHaveLength(1)
  })
})
