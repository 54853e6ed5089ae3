import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../support/temp.ts'

const ROOT = join(import.meta.dir, '../..')
const UNIT = readFileSync(join(ROOT, 'deploy/passportd.service'), 'utf8')

/** The settings of the unit; of one that is there twice, both. */
const settings = [...UNIT.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => `${name}=${value}`)

test('the unit of systemd gives away every right but those to its own folder and the network', () => {
  expect(settings).toEqual(
    expect.arrayContaining([
      'User=passportd',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'ProtectHome=true',
      'PrivateTmp=true',
      'PrivateDevices=true',
      'StateDirectoryMode=0700',
      'UMask=0077',
      'LimitCORE=0',
      'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
      'SystemCallFilter=@system-service',
      'SystemCallFilter=~@privileged',
    ]),
  )
  // Only the state directory can be written to.
  expect(UNIT).not.toMatch(/^ReadWritePaths=/m)
})

test('the unit starts what "npm run passportd" starts', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [, command] = /^ExecStart=(.*)$/m.exec(UNIT) as string[]
  expect(command?.replace('node_modules/.bin/', '').replaceAll('/opt/passportd/', '')).toBe(
    `${scripts.passportd.replace('exec ', '')} serve`,
  )
})

test.skipIf(!Bun.which('systemd-analyze'))('systemd reads the unit, and finds it little exposed', () => {
  using folder = tempFolder()
  const path = join(folder.path, 'passportd.service')
  // It wants the program to be there.
  writeFileSync(path, UNIT.replaceAll('/opt/passportd', ROOT))
  const ask = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...args, path])
    return exitCode === 0 ? '' : `${stdout}${stderr}`
  }
  expect(ask('verify')).toBe('')
  // Out of 100: less is better, and one without any of this has 96.
  expect(ask('security', '--offline=true', '--threshold=20', '--no-pager')).toBe('')
})

test('nodes in containers run as a user without rights, on files that cannot be written', () => {
  const compose = readFileSync(join(ROOT, 'deploy/compose.scaled.yaml'), 'utf8')
  const node = compose.slice(compose.indexOf('x-node:'), compose.indexOf('x-postgres:'))
  const wanted = ['USER node', 'read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true']
  for (const line of wanted) expect(node).toContain(line)
  expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['**/.env', 'data', '.git']),
  )
})
