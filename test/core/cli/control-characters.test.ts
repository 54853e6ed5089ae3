import { expect, test } from 'bun:test'
import { chmodSync, statSync } from 'node:fs'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'

/** A sequence for terminals in two forms, a line break, separators, and a change of the direction of text. */
const HOSTILE = 'a\u001b[31m\u009b31m\u0085\u007f\u2028\u202eb'

const CONTROL = /[^\n\P{Cc}]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u

withEveryEngine('output for a terminal', (makeDatabase) => {
  test('no command prints control characters of records or file names, as text or as JSON', async () => {
    const bad = `bad${HOSTILE}\n.jsonl`
    const files = { [bad]: 'no json\n' }
    await using here = await workplace(makeDatabase, {
      files,
      records: [named(1, HOSTILE, 5), named(2, HOSTILE, 4)],
    })
    const rejects = here.path('rejects.jsonl')
    await Bun.write(rejects, 'of an earlier import')
    chmodSync(rejects, 0o644)
    const commands = [
      ['import', here.path(bad), '--rejects', rejects],
      ['keys', 'create', '--name', HOSTILE],
      ...[['explain', '1'], ['history', '1'], ['keys', 'list'], ['audit'], ['usage'], ['doctor']].flatMap(
        (command) => [command, [...command, '--json']],
      ),
      ['subject', 'export', '1'],
      ['export', here.path('all.jsonl')],
      ['bar', HOSTILE],
      ['score', '--all'],
      ['merge', '1', '2'],
    ]
    for (const command of commands) {
      const { out, err } = await here.call(...command)
      expect({ command, text: CONTROL.exec(out + err)?.[0] }).toEqual({ command, text: undefined })
    }
    for (const file of [rejects, here.path('all.jsonl')])
      expect(await Bun.file(file).text()).not.toMatch(CONTROL)
    expect(statSync(rejects).mode & 0o777).toBe(0o600)
    const { name } = JSON.parse((await here.call('explain', '1', '--json')).out)
    expect(name).toBe(HOSTILE)
  })
})
