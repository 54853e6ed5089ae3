import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { hasPrograms } from '../../support/programs.ts'
import { withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { record } from '../../support/store/records.ts'
import { callHere } from '../../support/terminal.ts'

withEngine('sqlite', 'remove on a terminal', (makeDatabase) => {
  test.each([
    ['1', 'y', true],
    ['1', 'yes', true],
    ['1', '', false],
    ['1', 'n', false],
    ['9', 'n', false],
  ])('remove of passport %s with the answer %p means that removed is %p', async (id, answer, isRemoved) => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return answer
    }
    const { code, err } = await callHere(['remove', id], { env: here.env, ask })
    expect(questions).toEqual([
      expect.stringMatching(
        id === '1'
          ? /^Remove passport 1 \(.*\) and the passports merged into it from .*test\.db\? \[y\/N\] $/
          : /^There is no passport 9 in .*test\.db\. Ignore it in later imports and mirrors\? \[y\/N\] $/,
      ),
    ])
    expect(code).toBe(isRemoved ? 0 : 1)
    expect(err).toContain(isRemoved ? 'Passport 1 is removed' : 'Nothing was removed')
    expect(await here.look((store) => store.passports.count())).toBe(isRemoved ? 0 : 1)
    expect(await here.look((store) => store.records.listRemovals())).toHaveLength(isRemoved ? 1 : 0)
  })

  test('remove asks nothing with --yes, and needs --yes without a terminal', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    expect(await here.run('remove', '1')).toEqual({
      out: '',
      err: 'passportd: Nothing was removed: without a terminal, "remove" needs --yes.\n',
      code: 1,
    })
    expect(await here.look((store) => store.passports.count())).toBe(1)
    const ask = () => {
      throw new Error('asked')
    }
    expect((await callHere(['remove', '1', '--yes'], { env: here.env, ask })).code).toBe(0)
    expect(await here.look((store) => store.passports.count())).toBe(0)
  })

  test.if(hasPrograms('script'))('remove reads the answer from a real terminal', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const command = `${process.execPath} ${import.meta.dir}/../../../src/cli/main.ts remove 1`
    const child = Bun.spawn(['script', '-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH ?? '', ...here.env },
      stdin: new Blob(['y\n']),
      stdout: 'pipe',
    })
    const output = await new Response(child.stdout).text()
    expect(output).toContain('Remove passport 1 (')
    expect(output).toContain('Passport 1 is removed')
    expect(await child.exited).toBe(0)
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
