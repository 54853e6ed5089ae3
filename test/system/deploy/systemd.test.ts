import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasPrograms } from '../../support/programs.ts'
import { hostileFolder, tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const UNIT = read('deploy/passportd.service')
const settings = UNIT.split('\n')
const settingOf = (name: string) =>
  settings.find((line) => line.startsWith(`${name}=`))?.split(/=(.*)/)[1] ?? ''
const { scripts } = JSON.parse(read('package.json'))
/** A variable that the script of "npm run passportd" sets. */
const [VARIABLE = '', VALUE = ''] = scripts.passportd.split(' exec ')[0].split('=')

test('the systemd unit can use only the network and its own folder, without privileges', () => {
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
  expect(settingOf('ReadWritePaths')).toBe('')
})

test('the systemd unit runs the same command as "npm run passportd"', () => {
  const command = settingOf('ExecStart').replace('node_modules/.bin/', '').replaceAll('/opt/passportd/', '')
  expect(command).toBe(`${scripts.passportd.split(' exec ')[1]} serve`)
  expect(settings).toContain(`Environment=${VARIABLE}=${VALUE}`)
})

test('the systemd unit does not run code from its data folder, and keeps no cache in its home directory', () => {
  using data = hostileFolder()
  const local = (name: string) =>
    settingOf(name).replaceAll('/opt/passportd', ROOT).replaceAll('/var/lib/passportd', data.path)
  const command = [...local('ExecStart').split(' ').slice(0, -1), '--version']
  const folder = local('WorkingDirectory')
  expect(folder).not.toBe(data.path)
  // An operator may run the command in the data folder. There, too, the preload script must not run.
  for (const cwd of [folder, data.path]) {
    // The service can write its home directory.
    using home = tempFolder()
    const { exitCode, stdout } = Bun.spawnSync(command, { cwd, env: { HOME: home.path, [VARIABLE]: VALUE } })
    expect([exitCode, `${stdout}`]).toEqual([0, expect.stringMatching(/^passportd \d/)])
    expect(readdirSync(home.path)).toEqual([])
  }
})

test('systemd restarts the service after every exit, except after invalid settings', () => {
  expect(settings).toEqual(
    expect.arrayContaining(['Restart=always', 'StartLimitIntervalSec=0', 'RestartPreventExitStatus=2']),
  )
})

test.if(hasPrograms('systemd-analyze'))('systemd accepts the unit and rates its exposure as low', () => {
  using folder = tempFolder()
  const path = join(folder.path, 'passportd.service')
  // systemd checks that the program exists.
  writeFileSync(path, UNIT.replaceAll('/opt/passportd', ROOT))
  const ask = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...args, path])
    return exitCode === 0 ? '' : `${stdout}${stderr}`
  }
  expect(ask('verify')).toBe('')
  // The exposure is out of 100, and lower is better. A unit without restrictions has 96.
  expect(ask('security', '--offline=true', '--threshold=20', '--no-pager')).toBe('')
})
