import { expect, test } from 'bun:test'
import { listAll } from '../../support/index/local-index.ts'
import { onBothEngines } from '../../support/store/engines.ts'
import { importText } from '../../support/store/random-histories.ts'

/** PostgreSQL can neither store the NUL character nor search for it. */
onBothEngines('NUL characters', (open) => {
  test('a NUL character in a record is replaced by U+FFFD, and the record is stored', async () => {
    await using store = await open()
    const text = 'a\0b'
    const lines = [
      {
        passport_id: 1,
        passport_profile: { display_name: text, bio: text, location: text, tags: [text] },
        passport_socials: [{ source: text, profile_name: text }],
        credentials: [{ id: text, type: text, name: text, category: text, value: text, score: 1 }],
        data_points: [{ type: text, account: text, value: 1, display: text }],
        rules: text,
      },
      { passport: 1, type: text, account: 'other', value: 2 },
      { passport_id: 2, main_wallet: `0x${text}` },
      { passport: `0x${text}`, type: 'ens', value: 1 },
    ]
    const refusals = await importText(store, lines.map((line) => JSON.stringify(line)).join('\n'))
    expect(refusals.map(({ field }) => field)).toEqual(['passport'])
    const [saved] = await store.records.list(0, 1)
    expect(saved).toMatchObject({
      profile: { displayName: 'a\ufffdb', bio: 'a\ufffdb', location: 'a\ufffdb', tags: ['a\ufffdb'] },
      socials: [{ source: 'a\ufffdb', name: 'a\ufffdb' }],
      credentials: [{ id: 'a\ufffdb', type: 'a\ufffdb', name: 'a\ufffdb', value: 'a\ufffdb' }],
      dataPoints: [
        { type: 'a\ufffdb', account: 'a\ufffdb' },
        { type: 'a\ufffdb', account: 'other' },
      ],
      rules: 'a\ufffdb',
    })
    const search = { page: 1, size: 9, keyword: '\ufffd' }
    expect(await listAll(store, search)).toMatchObject({ total: 1, items: [{ id: 1 }] })
  })
})
