import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { hasPrograms } from '../../support/programs.ts'
import { withEngine } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { callHere } from '../../support/terminal.ts'

withEngine('sqlite', 'remove on a terminal', (makeDatabase) => {
  test.each([
    ['y', true],
    ['yes', true],
    ['', false],
    ['n', false],
  ])('with the answer %p: removed is %p', async (answer, isRemoved) => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return answer
    }
    const { code, err } = await callHere(['remove', '1'], { env: here.env, ask })
    expect(questions).toEqual([
      expect.stringMatching(
        /^Remove passport 1 \(.*\) and the passports merged into it from .*test\.db\? \[y\/N\] $/,
      ),
    ])
    expect(code).toBe(isRemoved ? 0 : 1)
    expect(err).toContain(isRemoved ? 'Passport 1 is removed' : 'Nothing was removed')
    expect(await here.look((store) => store.passports.count())).toBe(isRemoved ? 0 : 1)
  })

  test('asks before it removes a passport that is not stored', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return 'n'
    }
    expect((await callHere(['remove', '9'], { env: here.env, ask })).code).toBe(1)
    expect(questions).toEqual([
      expect.stringMatching(
        /^There is no passport 9 in .*test\.db\. Ignore it in later imports and mirrors\? \[y\/N\] $/,
      ),
    ])
    expect(await here.look((store) => store.records.listRemovals())).toEqual([])
  })

  test('asks nothing with --yes', async () => {
    const ask = () => {
      throw new Error('asked')
    }
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    expect((await callHere(['remove', '1', '--yes'], { env: here.env, ask })).code).toBe(0)
  })

  test('without a terminal needs --yes', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    expect(await here.run('remove', '1')).toEqual({
      out: '',
      err: 'passportd: Nothing was removed: without a terminal, "remove" needs --yes.\n',
      code: 1,
    })
    expect(await here.look((store) => store.passports.count())).toBe(1)
    expect((await here.call('remove', '1', '--yes')).code).toBe(0)
    expect(await here.look((store) => store.passports.count())).toBe(0)
  })

  test.if(hasPrograms('script'))('reads the answer from a real terminal', async () => {
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
