import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rawKindOf } from '../../../src/core/passport/rules/rule-set.ts'
import { listAll } from '../../support/index/local-index.ts'
import { onBothEngines, type TestStore } from '../../support/store/engines.ts'
import { importParts, importText } from '../../support/store/random-histories.ts'
import { named, record } from '../../support/store/records.ts'
import { DEFAULT_RULES } from '../../support/store/scoring.ts'

type Malformed = [line: string | Uint8Array, field: string, reason: string]

const passport = (fields: object) => JSON.stringify({ passport_id: 5, ...fields })
const credential = (fields: object) => passport({ credentials: [{ type: 'ens', ...fields }] })
const social = (fields: object) => passport({ passport_socials: [fields] })
const profile = (fields: object) => passport({ passport_profile: fields })
const point = (fields: object) => JSON.stringify({ passport: 1, type: 'github', value: 3, ...fields })
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const TEXT = 'must be a string, a number or null, got'
const DATE = 'must be a date such as 2024-09-27 or 2024-09-27T09:18:56Z, got'
const NEITHER = 'is neither a passport (passport_id is missing) nor a data point (passport is missing)'
const VALUE = 'must be a number, true, false or a date, got'

/** Well-formed lines that contradict the stored data: passport 900 is merged into 3, wallet 0xa11ce belongs to 1. */
const CONTRADICTING: Malformed[] = [
  [
    passport({ passport_id: 6, main_wallet: '0xA11CE' }),
    'main_wallet',
    'wallet 0xa11ce belongs to passport 1',
  ],
  [passport({ passport_id: 7, verified_wallets: ['0xb0b', '0xA11CE'] }), 'verified_wallets', '0xa11ce belongs to passport 1'], // biome-ignore format: one row a case
  [passport({ merged_into: 5 }), 'merged_into', 'itself'],
  [passport({ passport_id: 3, merged_into: 900 }), 'merged_into', 'passport 900 is merged into 3 itself'],
  [passport({ merged_into: -1 }), 'merged_into', 'must be at least 0 or null, got -1'],
  [passport({ merged_into: '3' }), 'merged_into', 'must be an integer or null, got "3"'],
]

const MALFORMED: Malformed[] = [
  ...[
    '{',
    '{"passport_id": 5, "passport_profile": {"bio": "cut o',
    '{"passport_id": 5}}',
    '{"passport_id": 5} {"passport_id": 6}',
    '<html><body>502 Bad Gateway</body></html>',
    '['.repeat(200_000),
  ].map((line): Malformed => [line, '', 'is not JSON: ']),
  ...[
    latin1('{"passport_id": 5, "main_wallet": "Jos\xe9"}'),
    latin1('{"passport_id": 5, "main_wallet": "\xed\xa0\x80"}'),
    latin1('\xff\xfe{\x00}\x00'),
  ].map((line): Malformed => [line, '', 'is not UTF-8']),
  // Records of no known kind.
  ['[]', '', 'must be an object, got []'],
  ['null', '', 'must be an object, got null'],
  [nested('[', ']', 100_000), '', 'must be an object, got […]'],
  ['{}', '', NEITHER],
  ['{"PASSPORT_ID":5}', '', NEITHER],
  ['{"__proto__":{"passport_id":5}}', '', NEITHER],
  // Passports.
  [passport({ passport_id: '5' }), 'passport_id', 'must be an integer, got "5"'],
  [passport({ passport_id: -1 }), 'passport_id', 'must be at least 0, got -1'],
  ['{"passport_id":1e999}', 'passport_id', 'must be an integer, got Infinity'],
  [`{"passport_id":${nested('[', ']', 100_000)}}`, 'passport_id', 'must be an integer, got […]'],
  ['{"passport_id":9007199254740993}', 'passport_id', 'must be at most 9007199254740991'],
  [`{"passport_id":${'{"a":'.repeat(400_000)}1${'}'.repeat(400_000)}}`, 'passport_id', 'got {…}'],
  [passport({ removed: 'yes' }), 'removed', 'must be a boolean or null, got "yes"'],
  [passport({ score: '12' }), 'score', 'must be a number or null, got "12"'],
  [passport({ score: -0.5 }), 'score', 'must be at least 0 or null, got -0.5'],
  [passport({ score: 1e10 }), 'score', 'must be at most 1000000000 or null, got 10000000000'],
  ['{"passport_id":5,"score":1e999}', 'score', 'must be a number or null, got Infinity'],
  [passport({ rules: 5 }), 'rules', 'must be a string or null, got 5'],
  [passport({ main_wallet_changed_at: 'May' }), 'main_wallet_changed_at', `${DATE} "May"`],
  [passport({ main_wallet: {} }), 'main_wallet', `${TEXT} {}`],
  [passport({ main_wallet: `0x${'a'.repeat(200)}` }), 'main_wallet', 'is too long for a wallet: "0xaaa'],
  [passport({ verified_wallets: '0x1' }), 'verified_wallets', 'must be an array or null, got "0x1"'],
  [passport({ verified_wallets: ['0x1', {}] }), 'verified_wallets.1', `${TEXT} {}`],
  [passport({ verified_wallets: ['x'.repeat(129)] }), 'verified_wallets.0', 'is too long for a wallet'],
  [passport({ passport_profile: 'Ada' }), 'passport_profile', 'must be an object or null, got "Ada"'],
  [profile({ bio: true }), 'passport_profile.bio', `${TEXT} true`],
  [profile({ tags: ['math', ['poetry']] }), 'passport_profile.tags.1', `${TEXT} ["poetry"]`],
  [passport({ passport_socials: [null] }), 'passport_socials.0', 'must be an object, got null'],
  [social({ source: {} }), 'passport_socials.0.source', `${TEXT} {}`],
  // Credentials.
  [passport({ credentials: [null] }), 'credentials.0', 'must be an object, got null'],
  [credential({ max_score: 1e300 }), 'credentials.0.max_score', 'must be at most 1000000000 or null'],
  [credential({ score: -5 }), 'credentials.0.score', 'must be at least 0 or null, got -5'],
  [credential({ earned_at: 'soon' }), 'credentials.0.earned_at', `${DATE} "soon"`],
  [
    passport({ credentials: [{ type: 'a', id: 5 }, { type: 'a', id: '5' }] }), // biome-ignore format: one row a case
    'credentials.1.id',
    'appears twice: "5"',
  ],
  ...['yesterday', '2024-02-30', '2024-09-27\n'].map(
    (date): Malformed => [
      passport({ last_calculated_at: date }),
      'last_calculated_at',
      `${DATE} ${JSON.stringify(date)}`,
    ],
  ),
  // Data points.
  [point({ passport: 99 }), 'passport', 'there is no passport 99'],
  [point({ passport: '0xNone' }), 'passport', 'there is no passport 0xnone'],
  [point({ passport: '' }), 'passport', 'must be an integer or a string that is not empty, got ""'],
  [point({ passport: ' ' }), 'passport', 'must be a passport id or a wallet, got " "'],
  [point({ passport: null }), 'passport', 'must be an integer or a string, got null'],
  [point({ passport: '99999999999999999999' }), 'passport', 'must be a passport id or a wallet'],
  [point({ type: '' }), 'type', 'must be a string that is not empty, got ""'],
  [point({ type: undefined }), 'type', 'is missing'],
  [point({ value: null }), 'value', 'must be a number, a boolean or a string, got null'],
  [point({ value: '3' }), 'value', `${VALUE} "3"`],
  [point({ value: '2024-02-30' }), 'value', `${VALUE} "2024-02-30"`],
  ['{"passport":1,"type":"github","value":1e999}', 'value', 'got Infinity'],
  [point({ earned_at: '2024-02-30' }), 'earned_at', `${DATE} "2024-02-30"`],
  [point({ account: 'x'.repeat(251) }), 'account', 'must be at most 250 characters long, a number or null'],
  [point({ display: 'x'.repeat(1001) }), 'display', 'must be at most 1000 characters long, a number or null'],
  [point({ type: 'x'.repeat(251) }), 'type', 'must be at most 250 characters long, got "xxx'],
  [passport({ credentials: [{ id: 'x'.repeat(251) }] }), 'credentials.0.id', 'at most 250 characters long'],
  [passport({ data_points: [{ type: 'a' }] }), 'data_points.0.value', 'is missing'],
  [
    passport({ data_points: [{ type: 'a', value: 1 }, { type: 'a', value: 2 }] }), // biome-ignore format: one row a case
    'data_points.1',
    'appears twice: type "a", account ""',
  ],
  ...CONTRADICTING,
]

const title = (line: string | Uint8Array) =>
  typeof line === 'string'
    ? JSON.stringify(line.slice(0, 90))
    : `bytes ${Buffer.from(line).toString('latin1')}`

/** Imports these lines, with a valid passport before the first line and after each line. */
const importAmongOthers = (store: TestStore, lines: readonly (string | Uint8Array)[]) =>
  importParts(
    store,
    [
      '{"passport_id":1,"main_wallet":"0xa11ce"}\n',
      ...lines.flatMap((line, at) => [
        line,
        `\n{"passport_id":${idAfter(at)},"passport_profile":{"display_name":"After"}}\n`,
      ]),
    ],
    { rawKindOf: (type) => rawKindOf(DEFAULT_RULES, type) },
  )

const idAfter = (at: number) => 2000 + at

onBothEngines(
  'a malformed line is refused with its field, and the lines around it are imported',
  (open, engine) => {
    // Only contradictions are tested on PostgreSQL, because validation does not depend on the engine.
    const lines = engine === 'sqlite' ? MALFORMED : CONTRADICTING
    let store: TestStore
    let imported: Awaited<ReturnType<typeof importAmongOthers>>
    beforeAll(async () => {
      store = await open([named(3, 'Grace'), record(900, { mergedInto: 3 })])
      imported = await importAmongOthers(
        store,
        lines.map(([line]) => line),
      )
    })
    afterAll(() => store[Symbol.asyncDispose]())

    test.each(lines.map((row, at) => [title(row[0]), at, ...row] as const))(
      '%s',
      async (_, at, __, field, reason) => {
        const refusal = imported.refusals.find(({ line }) => line === 2 * at + 2)
        expect(refusal).toMatchObject({ file: 'people.jsonl', field })
        expect(refusal?.reason).toContain(reason)
        const sentence = `${field} ${refusal?.reason}`
        expect(sentence).not.toMatch(/(got|passport) undefined|\[object|\n|\bat .*\.ts/)
        expect(sentence.length).toBeLessThan(200)
        expect(await store.passports.find({ id: idAfter(at) })).toMatchObject({
          profile: { displayName: 'After' },
        })
      },
    )

    test('malformed lines do not change the stored data', async () => {
      const count = lines.length
      expect(imported.report).toMatchObject({ lines: 2 * count + 1, added: count + 1, refused: count })
      expect(await store.passports.find({ wallet: '0xa11ce' })).toMatchObject({ id: 1 })
      for (const id of [5, 6, 7]) expect(await store.passports.find({ id })).toBeUndefined()
    })
  },
)

onBothEngines('keys of the maximum length', (open) => {
  test('keys of the maximum length are stored, even if each character has four bytes', async () => {
    // All characters differ, so that the key cannot be compressed.
    const letters = Array.from({ length: 250 }, (_, at) => 0x20000 + ((at * 7919) % 40_000))
    const key = String.fromCodePoint(...letters)
    const dataPoints = [{ type: key, account: key, value: 1 }]
    const line = passport({ credentials: [{ id: key, score: 1 }], data_points: dataPoints })
    await using store = await open()
    expect((await importAmongOthers(store, [line])).refusals).toEqual([])
    expect(await store.records.list(2, 1)).toMatchObject([
      { credentials: [{ id: key }], dataPoints: [{ type: key, account: key }] },
    ])
  })
})

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
