import { expect, test } from 'bun:test'
import { join } from 'node:path'

test.each([
  [
    'true',
    1,
    'caddy is not installed (Debian: caddy). Tests that need it are skipped, which is an error with CI=true.',
  ],
  ['', 0, 'caddy is not installed (Debian: caddy). Tests that need it are skipped.'],
])('with CI=%j a missing program ends the tests with code %d', (CI, code, message) => {
  const file = join(import.meta.dir, '../support/programs.ts')
  const check = `import { hasPrograms } from ${JSON.stringify(file)}; console.log(hasPrograms('caddy'))`
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, '-e', check], {
    env: { CI, PATH: '' },
  })
  expect([exitCode, `${stdout}`]).toEqual([code, code === 0 ? 'false\n' : ''])
  expect(`${stderr}`).toContain(message)
})
