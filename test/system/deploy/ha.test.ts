import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takePort } from '../../support/cli.ts'
import { findPort } from '../../support/postgres/postgres-process.ts'
import { findProgram, hasPrograms } from '../../support/programs.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FOLDER = join(import.meta.dir, '../../../deploy/ha')
const INSTALLED = '/usr/lib/postgresql'

test.if(hasPrograms('patroni'))('patroni accepts deploy/ha/patroni.yaml', async () => {
  using folder = tempFolder()
  // Patroni only tries to connect to etcd.
  await using etcd = takePort()
  const [release] = readdirSync(INSTALLED)
  const { stdout, stderr } = Bun.spawnSync(
    [findProgram('patroni') as string, '--validate-config', join(FOLDER, 'patroni.yaml')],
    {
      env: {
        PATH: process.env.PATH ?? '',
        PATRONI_ETCD_HOSTS: `127.0.0.1:${etcd.port}`,
        PATRONI_RESTAPI_LISTEN: `127.0.0.1:${await findPort()}`,
        PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${await findPort()}`,
        PATRONI_POSTGRESQL_DATA_DIR: join(folder.path, 'data'),
        PATRONI_POSTGRESQL_BIN_DIR: `${INSTALLED}/${release}/bin`,
      },
    },
  )
  // Patroni 3.0 wants pg_hba also where later versions do not.
  const problems = `${stdout}${stderr}`.split('\n').filter((line) => !/^(bootstrap\.pg_hba .*)?$/.test(line))
  expect(problems).toEqual([])
})

test.if(hasPrograms('haproxy'))(
  'haproxy accepts deploy/ha/haproxy.cfg beside deploy/proxy/haproxy.cfg',
  () => {
    using folder = tempFolder()
    const files = [join(FOLDER, '../proxy/haproxy.cfg'), join(FOLDER, 'haproxy.cfg')].flatMap((path, at) => {
      const text = readFileSync(path, 'utf8').replace(/ ssl crt \S+ alpn \S+/, '')
      writeFileSync(join(folder.path, `${at}.cfg`), text.replace(/db-\d\.internal/g, '127.0.0.1'))
      return ['-f', join(folder.path, `${at}.cfg`)]
    })
    const { stdout, stderr } = Bun.spawnSync([findProgram('haproxy') as string, '-c', ...files])
    expect(`${stdout}${stderr}`).toBe('Configuration file is valid\n')
  },
)

test('start.sh refuses a folder that another start.sh uses, and starts nothing', () => {
  using folder = tempFolder()
  const start = join(FOLDER, 'start.sh')
  const { exitCode, stdout, stderr } = Bun.spawnSync(['flock', join(folder.path, 'lock'), start, folder.path])
  expect([exitCode, `${stdout}`, `${stderr}`]).toEqual([
    1,
    '',
    `${folder.path} is in use by another start.sh: stop it first.\n`,
  ])
})

test.if(hasPrograms('etcd'))('etcd has all options of deploy/ha/etcd.env', () => {
  const env = { ETCD_UNSUPPORTED_ARCH: process.arch }
  const { stdout, stderr } = Bun.spawnSync([findProgram('etcd') as string, '--help'], { env })
  const names = readFileSync(join(FOLDER, 'etcd.env'), 'utf8').match(/(?<=^ETCD_)\w+(?==)/gm) ?? []
  const options = names.map((name) => `--${name.toLowerCase().replaceAll('_', '-')} `)
  expect(options.length).toBeGreaterThan(5)
  expect(options.filter((option) => !`${stdout}${stderr}`.includes(option))).toEqual([])
})
