import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8')

test.each(['compose.yaml', 'compose.scaled.yaml'])(
  'nodes of %s run without privileges on a read-only file system',
  (name) => {
    const compose = read(join('deploy', name))
    const node = compose.split('x-postgres:')[0] as string
    const wanted = [
      'build: ..',
      'read_only: true',
      'cap_drop: [ALL]',
      'no-new-privileges:true',
      'stop_grace_period: 15s',
    ]
    for (const line of wanted) expect(node).toContain(line)
    expect(Bun.YAML.parse(compose)).toHaveProperty('services')
  },
)

type Service = { environment: Record<string, string>; ports?: string[] }
type Compose = {
  services: Record<string, Service>
  configs: Record<string, { content: string }>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}
const { services, configs, networks } = Bun.YAML.parse(read('deploy/compose.scaled.yaml')) as Compose

test('the nodes of compose.scaled.yaml see client addresses, and the only published port is on loopback', () => {
  const node = services['node-1'] as Service
  expect(node.environment.TRUST_PROXY).toBe(networks.default.ipam.config[0]?.subnet as string)
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(published).toEqual(['127.0.0.1:8080:8080'])
  const { content } = configs.haproxy as { content: string }
  for (const line of ['option forwardfor', 'option redispatch 1', 'retry-on conn-failure empty-response'])
    expect(content).toContain(line)
})

test('the PostgreSQL role of passportd in compose.scaled.yaml is not a superuser', () => {
  expect(services['node-1']?.environment.DATABASE_URL).toStartWith('postgres://passportd:')
  expect(services.primary?.environment.POSTGRES_USER).not.toBe('passportd')
  expect(configs.database?.content).toMatch(/create role passportd login password/)
  expect(configs.database?.content).not.toMatch(/superuser/)
})
