import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import type { CheckResult } from '../../../../src/core/cli/check-result.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { writeCertificate } from '../../../support/http/certificate.ts'
import { readProblems } from '../../../support/log-lines.ts'
import { withEngine } from '../../../support/store/engines.ts'
import { calm, examine } from '../../support/doctor.ts'

withEngine('sqlite', 'doctor', (makeDatabase) => {
  test('doctor and serve warn of secrets that other users can read or change, and of signing keys without PUBLIC_URL', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const file = (name: string, text: string, mode: number) => {
      writeFileSync(here.path(name), text)
      chmodSync(here.path(name), mode)
      return here.path(name)
    }
    const { TLS_CERT, TLS_KEY } = writeCertificate(here.cwd, 'test')
    chmodSync(TLS_KEY, 0o644)
    const keys = here.path('keys.json')
    await here.call('signing', 'rotate', keys)
    const open = { SIGNING_KEYS_FILE: keys, MIRROR_KEY_FILE: file('key', 'x', 0o604), TLS_CERT, TLS_KEY }
    chmodSync(keys, 0o666)
    const { amiss, text } = await examine(here, open)
    expect(amiss).toEqual(Array(4).fill('warning: secrets'))
    for (const path of [keys, here.path('key'), TLS_KEY])
      expect(text('secrets')).toContain(`Other users can read or write ${path}`)
    expect(text('secrets')).toContain('Signatures need PUBLIC_URL')
    await using server = await here.serve([], open)
    server.child.kill('SIGTERM')
    const log = await readProblems(server.child.stderr)
    expect(log.match(/"level":"warn"/g)).toHaveLength(4)
    for (const path of [keys, here.path('key'), TLS_KEY]) {
      chmodSync(path, 0o640)
      expect(log).toContain(path)
    }
    expect((await examine(here, { ...open, PUBLIC_URL: 'https://example.com' })).amiss).toEqual([])
  })

  test.each([
    ['PORT=1', 0o644, []],
    ['PORT=1', 0o664, ['secrets']],
    ['MIRROR_KEY=x', 0o640, []],
    ['COPY_TO_URL=postgres://me:secret@127.0.0.1/x', 0o604, ['secrets']],
    ['PORTT=1', 0o600, ['settings']],
  ])('doctor examines .env: %j with mode %i is warned of as %j', async (text, mode, about) => {
    await using here = await workplace(makeDatabase, { records: calm })
    writeFileSync(here.path('.env'), text)
    chmodSync(here.path('.env'), mode)
    const { out } = await callHere(['doctor', '--json'], { env: here.env, cwd: here.cwd })
    const { findings } = JSON.parse(out) as { findings: CheckResult[] }
    const warnings = findings.filter(({ level }) => level === 'warning')
    expect(warnings.map((warning) => warning.about)).toEqual(about)
    expect(JSON.stringify(findings)).toContain(`${here.path('.env')} was read (1 variable).`)
  })

  test('doctor examines the folder of scheduled backups', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const BACKUP_DIR = here.path('backups')
    mkdirSync(BACKUP_DIR)
    chmodSync(BACKUP_DIR, 0o777)
    const { amiss, text } = await examine(here, { BACKUP_DIR })
    expect([amiss, text('rights')]).toEqual([
      ['warning: rights'],
      expect.stringContaining(`Every user can write to the folder ${BACKUP_DIR}`),
    ])
    const noFolder = await examine(here, { BACKUP_DIR: here.database })
    expect(noFolder).toMatchObject({ code: 1, amiss: ['problem: rights'] })
  })
})
