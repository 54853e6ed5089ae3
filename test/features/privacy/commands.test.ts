import { expect, test } from 'bun:test'
import { lstatSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { workplace } from '../../support/cli-sandbox.ts'
import { MIRROR } from '../../support/features/mirror.ts'
import { REQUESTS } from '../../support/features/own-record.ts'
import { EXPORTS } from '../../support/features/privacy.ts'
import { PROGRAM } from '../../support/program/commands.ts'
import { sha256 } from '../../support/program/text.ts'
import { incoming, marksIn, PERSON, WALLET } from '../../support/removed-person.ts'
import { onEveryEngine, saveRecords, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { computeHead, foldAll } from '../../support/store/hash-chain.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { defineData, REMOVALS } from '../../support/store/open.ts'
import { ADA_WALLET, ada, NOON, named, record, social } from '../../support/store/records.ts'
import { contracts, hand, LATER, scoreNow } from '../../support/store/scoring.ts'
import { tableOf } from '../../support/store/store-changes.ts'

const OTHER = record(12, { mainWallet: WALLET.toUpperCase().replace('0X', '0x') })
const POINT = { passport: WALLET, type: 'github', value: 9 }

withEveryEngine('privacy commands', (makeDatabase) => {
  test('hide and unhide change what is found, and say so', async () => {
    await using here = await workplace(makeDatabase, { records: [PERSON] })
    const find = () => here.look((store) => store.passports.find({ id: 7 }))
    expect((await here.call('hide', '7')).err).toBe('Passport 7 is hidden from every response.\n')
    expect(await find()).toBeUndefined()
    await here.refuses('Passport 7 is hidden already.', 'hide', '7')
    const exported = JSON.parse((await here.call('subject', 'export', WALLET)).out)
    expect(exported).toMatchObject({
      passports: [{ passport_id: 7, passport_profile: { display_name: 'Qzxname' } }],
      handles: [{}, {}],
    })
    expect((await here.call('export')).out).not.toContain('Qzxname')
    expect((await here.call('unhide', '7')).err).toBe('Passport 7 is shown again.\n')
    expect(await find()).toMatchObject({ id: 7 })
    await here.refuses('Passport 7 is not hidden.', 'unhide', '7')
    await here.refuses('There is no passport 9 here.', 'hide', '9')
    await here.refuses('Nothing is stored about 9 here.', 'subject', 'export', '9')
    await here.refuses('Nothing is stored about 0x9 here.', 'subject', 'export', '0x9')
  })

  test('a removal names a hidden person, and removes it', async () => {
    await using here = await workplace(makeDatabase, { records: [PERSON] })
    await here.call('hide', '7')
    const err = expect.stringContaining('--yes removes passport 7 (Qzxname)')
    expect(await here.call('remove', '7')).toMatchObject({ code: 2, err })
    expect(await here.call('remove', '7', '--yes')).toMatchObject({ code: 0 })
    await here.refuses('Nothing is stored about 7 here.', 'subject', 'export', '7')
  })

  test('records with a barred id or wallet are skipped until an import restores them', async () => {
    const files = {
      'x.jsonl': toLines({ passport_id: 12, main_wallet: '0xQZXwallet' }, POINT, { passport_id: 13 }),
    }
    await using here = await workplace(makeDatabase, { files })
    const load = async (...args: string[]) => (await here.call('import', here.path('x.jsonl'), ...args)).err
    for (const who of [WALLET, '13'])
      expect((await here.call('bar', who)).err).toBe(
        `Records with ${who} are skipped from now on, except by an import with --restore.\n`,
      )
    expect(await load()).toContain('3 of removed passports skipped')
    expect(await load('--restore')).not.toContain('skipped')
    expect((await here.call('removals', 'list')).out).toBe('')
    await here.refuses(`Passport 12 is stored: use "${PROGRAM} remove 12" instead.`, 'bar', WALLET)
    await here.refuses('Passport 13 is stored', 'bar', '13')
  })

  test('a removed person does not come back under another id, unless the import restores', async () => {
    await using here = await workplace(makeDatabase, { records: [PERSON] })
    await here.call('remove', '7', '--yes')
    const save = (restore: boolean) => here.look((store) => saveRecords(store, [OTHER], { restore }))
    expect(await save(false)).toEqual([{ outcome: 'removed' }])
    expect(await save(true)).toEqual([{ outcome: 'added' }])
    expect(await save(false)).toEqual([{ outcome: 'unchanged' }])
    expect((await here.call('removals', 'list')).out).toBe(`7\n${sha256('0xqzxwallet2')}\n`)
  })

  test('a removal record of an import lets another passport take over the wallet', async () => {
    await using here = await workplace(makeDatabase, { records: [PERSON] })
    const removal = { kind: 'removal', id: 7 } as const
    const options = { now: 1, restore: false }
    const save = () => here.look((store) => store.records.save([removal, incoming(OTHER)], options))
    expect(await save()).toMatchObject([{ outcome: 'changed' }, { outcome: 'added' }])
  })

  test('the list of removals is applied to another database', async () => {
    const list = `7\n${sha256('0xnew')}\n`
    await using here = await workplace(makeDatabase, {
      records: [PERSON, named(8, 'Grete')],
      files: { list, wrong: '7\n0xqzxwallet\n' },
    })
    expect((await here.call('removals', 'apply', here.path('list'))).err).toBe(
      'The removals of 1 passport and 1 wallet are applied.\n',
    )
    expect(await here.look((store) => store.passports.count())).toBe(1)
    const save = () => here.look((store) => saveRecords(store, [record(14, { mainWallet: '0xNEW' })]))
    expect(await save()).toEqual([{ outcome: 'removed' }])
    const sentence = 'has the line "0xqzxwallet", but each line must be the id of a passport, or the SHA-256'
    await here.refuses(sentence, 'removals', 'apply', here.path('wrong'))
    await here.refuses('missing', 'removals', 'apply', here.path('missing'))
  })
})

withEngine('sqlite', 'a backup that is older than a removal', (makeDatabase) => {
  async function removedAfterBackup() {
    const here = await workplace(makeDatabase, { records: [PERSON, named(8, 'Grete')] })
    await here.call('backup', here.path('kept.backup'))
    await here.call('remove', '7', '--yes')
    return here
  }

  test('a backup that is older than a removal is restored without the people whom the replaced database has removed', async () => {
    await using here = await removedAfterBackup()
    writeFileSync(here.path('text'), 'x'.repeat(5000))
    await here.refuses('text is damaged, or not a backup', 'restore', here.path('text'), '--force')
    const { out } = await here.call('restore', here.path('kept.backup'), '--force')
    expect(out).toContain('1 passport')
    expect(out).toContain('The removals of 1 passport and 2 wallets are applied.\n')
    expect(await here.look((store) => store.data(REMOVALS).list())).toHaveLength(3)
    expect(await here.look(({ passports }) => passports.count())).toBe(1)
    expect(marksIn(readFileSync(here.database, 'latin1'))).toEqual([])
  })

  test('an older backup is restored with a list of removals if the database is lost or damaged', async () => {
    await using here = await removedAfterBackup()
    const list = here.path('list')
    expect((await here.call('backup', here.path('later.backup'), '--removals', list)).code).toBe(0)
    expect(readFileSync(list, 'utf8').split('\n')).toContain('7')
    writeFileSync(here.database, 'x'.repeat(8192))
    const restore = ['restore', here.path('kept.backup'), '--force']
    expect((await here.call(...restore)).err).toContain(
      'removals since the backup are applied only if --removals',
    )
    expect(await here.look(({ passports }) => passports.count())).toBe(2)
    expect((await here.call(...restore, '--removals', list)).code).toBe(0)
    expect(await here.look(({ passports }) => passports.count())).toBe(1)
  })

  test('a backup adds to the list of removals, and removes nothing from it', async () => {
    await using here = await removedAfterBackup()
    const list = here.path('list')
    writeFileSync(list, '99\n7\n')
    await here.call('backup', here.path('later.backup'), '--removals', list)
    await here.call('restore', here.path('kept.backup'), '--force')
    await here.call('backup', here.path('last.backup'), '--removals', list)
    expect(readFileSync(list, 'utf8')).toStartWith('99\n7\n')
    writeFileSync(list, 'Ada\n')
    await here.refuses('has the line "Ada"', 'backup', here.path('no.backup'), '--removals', list)
    await here.refuses(
      'has the line "Ada"',
      'restore',
      here.path('kept.backup'),
      '--force',
      '--removals',
      list,
    )
  })

  test('a backup keeps its list of removals from others, and follows no link at the name of the partial file', async () => {
    await using here = await removedAfterBackup()
    const [list, victim] = [here.path('list'), here.path('victim')]
    writeFileSync(victim, 'mine')
    symlinkSync(victim, `${list}.part`)
    await here.call('backup', here.path('later.backup'), '--removals', list)
    writeFileSync(`${list}.part`, '', { mode: 0o666 })
    await here.call('backup', here.path('last.backup'), '--removals', list)
    expect([readFileSync(victim, 'utf8'), lstatSync(list).mode]).toEqual(['mine', 0o100600])
  })

  test('doctor --erasure names a backup that is older than a removal', async () => {
    await using here = await removedAfterBackup()
    const old = `${here.database}.before-20260101T000000.000Z`
    writeFileSync(old, '')
    utimesSync(old, 1, 1)
    expect((await here.call('doctor', '--erasure')).out).toContain(`${old} is older than the last removal`)
  })

  test('doctor --erasure finds no problem if nobody was removed', async () => {
    await using here = await workplace(makeDatabase, { records: [PERSON] })
    expect((await here.call('doctor', '--erasure')).out).toContain('No copies of removed data were found.')
  })
})

const grete = record(8, { profile: { displayName: 'Grete' }, socials: [social('github', 'grete')] })

const isoTime = (time: number) => new Date(time).toISOString()

onEveryEngine('a hidden passport', (open) => {
  test('a hidden passport has tombstones in place of its earlier events, and no events until it is shown again', async () => {
    await using store = await open([ada, grete])
    await store.passports.hide(7, true, NOON)
    await saveRecords(store, [{ ...ada, connections: 99, scores: { ...ada.scores, total: 1 } }])
    await scoreNow(store)
    const { head } = await foldAll(store)
    const before = await computeHead(store)
    await store.passports.hide(7, false, LATER)
    expect([head, (await foldAll(store)).head]).toEqual([before, await computeHead(store)])
    const proven = (await store.events.listProven({ after: 0, limit: 100 })).events
    const types = ['tombstone', 'passport.added', 'passport.removed']
    expect(proven.map(({ type }) => String(type))).toEqual([...types, 'passport.added'])
    const later = await store.events.listAfterTime([7], 0)
    expect(later.events.map(({ type }) => type)).toEqual(['passport.added', 'passport.removed'])
  })

  test('a hidden passport is exported with everything that is stored, under the names of the API', async () => {
    await using store = await open([ada, grete])
    await store.passports.merge(8, 7)
    await hand(store, { id: 7 }, { ...contracts(3), issuer: 'kite' })
    await store
      .data(MIRROR)
      .note('https://source.example', 7, { passportEtag: 'a', credentialsEtag: 'b', run: 1 })
    await store.data(REQUESTS).add({ id: 'a', passport_id: 7, text: 'Porto', created_at: NOON })
    await scoreNow(store)
    const { name } = await store.events.log()
    for (const id of [7, 8]) {
      const all = await store.data(EXPORTS).export(id)
      expect(all).toMatchObject({
        passports: [
          {
            passport_id: 7,
            hidden_at: null,
            score: expect.any(Number),
            human_checkmark: true,
            passport_profile: { display_name: ada.profile.displayName },
            credentials: expect.arrayContaining([expect.objectContaining({ type: 'kite', max_score: 5 })]),
            data_points: [{ type: 'base_builder', issuer: 'kite', value: 3, earned_at: null }],
          },
          { passport_id: 8, merged_into: 7 },
        ],
        wallets: expect.arrayContaining([{ wallet: ADA_WALLET, passport_id: 7 }]),
        handles: expect.arrayContaining([{ handle: 'github:grete', passport_id: 8 }]),
        requests: [{ passport_id: 7, text: 'Porto', created_at: isoTime(NOON) }],
        audit: [
          {
            time: expect.stringMatching(/Z$/),
            action: 'passports.merge',
            detail: { passports: ['8 into 7'] },
          },
          { action: 'requests.create' },
        ],
        events: expect.arrayContaining([
          {
            ...{ id: `${name}-1`, type: 'passport.added', subject: '7' },
            ...{ time: isoTime(NOON), actor: 'cli', data: expect.anything() },
          },
          expect.objectContaining({ type: 'passport.merged', subject: '8', data: { into: 7 }, actor: 'cli' }),
          expect.objectContaining({
            type: 'score.changed',
            data: expect.objectContaining({
              last_calculated_at: [isoTime(NOON), isoTime(LATER)],
            }),
          }),
        ]),
        mirrored: [{ source: 'https://source.example', passport_id: 7 }],
      })
      for (const name of ['passportId', 'maxScore', 'addedAt'])
        expect(JSON.stringify(all)).not.toContain(name)
    }
    await store.passports.hide(7, true, LATER)
    expect(await store.data(EXPORTS).export(7)).toMatchObject({
      passports: [{ hidden_at: isoTime(LATER) }, { hidden_at: isoTime(LATER) }],
      events: [7, 8].map((id) => ({ type: 'passport.removed', subject: String(id) })),
    })
  })
})

/** The data of a feature that this release does not have. */
const NOTES = defineData({
  name: 'notes',
  tables: ['notes'],
  open: ({ write, read }) => ({
    create: () =>
      write('create table notes (id text primary key, passport_id bigint not null, text text not null)'),
    add: (id: string, passport: number, text: string) =>
      write('insert into notes (id, passport_id, text) values ($1, $2, $3)', [id, passport, text]),
    list: () => read.query<{ id: string }>('select * from notes order by id'),
  }),
})

onEveryEngine('a table with a column passport_id that no feature declares', (open) => {
  test('a removal deletes the rows of the person and of the merged passports, an export has them, and a copy, too', async () => {
    await using store = await open([record(7), record(8), record(9)])
    const notes = store.data(NOTES)
    await notes.create()
    for (const passport of [7, 8, 9]) await notes.add(`n${passport}`, passport, 'a note')
    await store.passports.merge(8, 7, NOON)
    expect(await (await tableOf(store, 'notes')).list({ limit: 1 })).toMatchObject([{ id: 'n7' }])
    expect(await store.data(EXPORTS).export(8)).toMatchObject({
      notes: [
        { id: 'n7', passport_id: 7, text: 'a note' },
        { id: 'n8', passport_id: 8, text: 'a note' },
      ],
    })
    await store.passports.remove(7, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
    await notes.add('n5', 5, 'a note about a passport that is not stored')
    await store.passports.remove(5, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
  })
})
