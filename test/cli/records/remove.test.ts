import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { record } from '../../support/store/records.ts'

withEngine('sqlite', 'remove', (makeDatabase) => {
  test('remove without --yes says what it would remove, and changes nothing', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const merged = `and the passports merged into it from ${here.database}.`
    await here.refuses(
      `Nothing was removed: --yes removes passport 1 (without a name) ${merged}`,
      'remove',
      '1',
    )
    await here.refuses('--yes makes later imports and mirrors skip it.', 'remove', '9')
    expect(await here.look((store) => store.passports.count())).toBe(1)
    expect(await here.look((store) => store.records.listRemovals())).toEqual([])
  })
})

withEveryEngine('a removal in a file', (makeDatabase) => {
  test('a removal undoes every earlier line of the passport and of those merged into it, also with --restore', async () => {
    await using here = await workplace(makeDatabase, {
      files: {
        'before.jsonl': toLines(
          { passport_id: 3 },
          { passport_id: 5, merged_into: 3 },
          { passport_id: 9, main_wallet: '0xw' },
        ),
        'after.jsonl': toLines(
          // Refused until the last line frees the wallet.
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
      here.call('import', join(here.cwd, name), ...options)
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
