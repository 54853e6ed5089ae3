import { expect, test } from 'bun:test'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { PROGRAM } from '../../support/program/commands.ts'
import { withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const PEOPLE = toLines(
  { passport_id: 1, main_wallet: '0xAA' },
  { passport_id: 2 },
  { passport: 1, type: 'github', value: 9 },
)

withEveryEngine('merge and remove', (makeDatabase) => {
  test('the id and wallet of a merged passport find its survivor until the merge is undone', async () => {
    await using here = await workplace(makeDatabase, { files: { 'people.jsonl': PEOPLE } })
    expect((await here.call('import', here.path('people.jsonl'))).code).toBe(0)
    await using server = await here.listen()
    const idOf = async (ref: string) =>
      ((await (await fetch(`${server.url}/api/v3/passports/${ref}`)).json()) as { passport_id?: number })
        .passport_id
    // The commands write through other connections, and reads of the server share a transaction for some milliseconds.
    const untilFound = (id?: number) =>
      until(async () => Bun.deepEquals([await idOf('1'), await idOf('0xaa')], [id, id]), `passport ${id}`)
    expect(await here.call('merge', '1', '2')).toEqual({
      out: '',
      err: `Passport 1 now leads to 2. "${PROGRAM} merge 1 --undo" reverts this.\n`,
      code: 0,
    })
    await untilFound(2)
    expect((await here.call('merge', '1', '--undo')).err).toBe('Passport 1 is separate again.\n')
    await untilFound(1)
    await here.call('merge', '1', '2')
    await here.call('hide', '2')
    expect((await here.call('merge', '1', '--undo')).err).toBe(
      `Passport 1 is separate again, and stays hidden: "${PROGRAM} unhide 1" shows it.\n`,
    )
    for (const id of ['1', '2']) await here.call('unhide', id)
    expect((await here.call('remove', '1', '--yes')).err).toContain('Passport 1 is removed.')
    await untilFound()
    const again = await here.call('import', here.path('people.jsonl'))
    expect(again.err).toContain('2 of removed passports skipped (--restore accepts them)')
    expect(await idOf('1')).toBeUndefined()
    expect((await here.call('import', here.path('people.jsonl'), '--restore')).code).toBe(0)
    await untilFound(1)
    expect((await here.call('remove', '9', '--yes')).err).toBe(
      'There is no passport 9 here. From now on only an import or mirror with --restore adds it.\n',
    )
    expect(await here.look(({ records }) => records.listRemovals())).toEqual([9])
  })
})

withEngine('sqlite', 'merge', (makeDatabase) => {
  test.each([
    [['merge', '1', '99'], 'There is no passport 99 here.'],
    [['merge', '1', '1'], 'A passport cannot be merged into itself.'],
    [['merge', '1', '--undo'], 'Passport 1 is not merged into another.'],
  ])('%p ends with exit code 1 and one sentence', async (args, sentence) => {
    await using here = await workplace(makeDatabase, { records: [record(1), record(2)] })
    await here.refuses(`passportd: ${sentence}\n`, ...args)
  })
})

withEngine('sqlite', 'remove', (makeDatabase) => {
  test('remove without --yes says what it would remove, and changes nothing', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const merged = `and the passports merged into it from ${here.database}.`
    const remove = (id: string) => callHere(['remove', id], { env: here.env })
    expect(await remove('1')).toEqual({
      out: '',
      err: `passportd: Nothing was removed: --yes removes passport 1 (without a name) ${merged}\n`,
      code: 2,
    })
    expect((await remove('9')).err).toContain('--yes makes later imports and mirrors skip it.')
    expect(await here.look((store) => store.passports.count())).toBe(1)
    expect(await here.look((store) => store.records.listRemovals())).toEqual([])
  })
})

withEveryEngine('a removal in a file', (makeDatabase) => {
  test('a removal cancels all earlier lines about the passport and the passports merged into it, even with --restore', async () => {
    await using here = await workplace(makeDatabase, {
      files: {
        'before.jsonl': toLines(
          { passport_id: 3 },
          { passport_id: 5, merged_into: 3 },
          { passport_id: 9, main_wallet: '0xw' },
        ),
        'after.jsonl': toLines(
          // Passport 9 has this wallet until the last line. By then, the line that removes passport 4 has replaced this one.
          { passport_id: 4, main_wallet: '0xw' },
          { passport_id: 5, main_wallet: '0xw', merged_into: 3 },
          { passport_id: 4, removed: true },
          { passport_id: 3, removed: true },
          { passport_id: 9, main_wallet: '0xz' },
        ),
        'again.jsonl': toLines(
          { passport_id: 4, removed: true },
          { passport_id: 4, main_wallet: '0xz' },
          { passport_id: 9, main_wallet: '0xy' },
        ),
      },
    })
    const importFile = (name: string, ...options: string[]) =>
      here.call('import', here.path(name), ...options)
    const ids = async () => (await here.look(({ records }) => records.list(-1, 9))).map(({ id }) => id)
    await importFile('before.jsonl')
    const { err, code } = await importFile('after.jsonl', '--restore')
    expect(err).toBe('5 lines: 0 added, 3 changed, 0 unchanged, 2 replaced by a later line.\n')
    expect(code).toBe(0)
    expect(await ids()).toEqual([9])
    // A line after the removal restores the passport.
    expect((await importFile('again.jsonl', '--restore')).code).toBe(0)
    expect(await ids()).toEqual([4, 9])
  })
})
