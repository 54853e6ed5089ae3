/**
 * Generates clients from both OpenAPI documents with public generators, compiles them in strict mode, and calls a demo
 * server with them. npm installs the generators in a temporary folder, so this needs a package registry.
 *
 *   npx bun stress/openapi-generators.ts
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND, resultOf, serveProcess } from '../test/support/cli.ts'
import { tempFolder } from '../test/support/temp-folder.ts'

/** `program` defines `read`, `lookup` and the type `V3Passport` by the generated client. */
type Generator = {
  packages: readonly string[]
  command: (document: string, folder: string) => readonly string[]
  program: string
}

const GENERATORS: Record<string, Generator> = {
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
    command: (document, folder) => ['openapi-typescript', document, '-o', `${folder}/schema.ts`],
    program: `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'
type V3Passport = components['schemas']['V3Passport']
const client = createClient<paths>({ baseUrl, headers: { 'X-API-KEY': key }, querySerializer: { array: { style: 'form', explode: false } } })
const read = async (key: string) => {
  const { data, response } = await client.GET('/api/v3/passports/{key}', { params: { path: { key }, query: { include } } })
  return { data, status: response.status }
}
const lookup = async (keys: string[]) => (await client.POST('/api/v3/lookup', { body: { keys } })).data`,
  },
  '@hey-api/openapi-ts': {
    packages: ['@hey-api/openapi-ts@0.99.0'],
    command: (document, folder) => ['openapi-ts', '-i', document, '-o', folder],
    program: `
import { client } from './client.gen'
import { getPassportV3, lookUp } from './sdk.gen'
import type { V3Passport } from './types.gen'
client.setConfig({ baseUrl, auth: key })
const read = async (key: string) => {
  const { data, response } = await getPassportV3({ path: { key }, query: { include } })
  return { data, status: response?.status }
}
const lookup = async (keys: string[]) => (await lookUp({ body: { keys } })).data`,
  },
  orval: {
    packages: ['orval@8.38.0'],
    command: (document, folder) => [
      'orval',
      '--input',
      document,
      '--output',
      `${folder}/client.ts`,
      '--client',
      'fetch',
    ],
    program: `
import { getPassportV3, lookUp, type V3Passport } from './client.ts'
const platform = fetch
globalThis.fetch = Object.assign((path: string, init: RequestInit) => platform(baseUrl + path, { ...init, headers: { ...init.headers, 'X-API-KEY': key } }), platform) as typeof fetch
const read = async (key: string) => {
  const { data, status } = await getPassportV3(key, { include })
  return { data: status === 200 ? data : undefined, status }
}
const lookup = async (keys: string[]) => {
  const { data, status } = await lookUp({ keys })
  return status === 200 ? data : undefined
}`,
  },
}

/** Compiles only if the type V3Passport has exactly the fields of the schema. */
const toProgram = (program: string, fields: readonly string[]) => `
const [baseUrl = '', key = ''] = process.argv.slice(2)
const include: ('credentials' | 'standing')[] = ['credentials', 'standing']
${program}
const fields: Record<keyof V3Passport, true> = { ${fields.map((name) => `${name}: true`).join(', ')} }
const { data, status } = await read('42')
const missing = await read('999999')
const found = await lookup(['42', 'nobody'])
const score: number | undefined = data?.score
const name: string | null | undefined = data?.passport_profile?.display_name
const types: (string | undefined)[] | undefined = data?.credentials?.map(({ type }) => type)
console.log(JSON.stringify({ status, missing: missing.status, score, name, types, rank: data?.standing?.rank, found: found?.found, fields: Object.keys(fields).length }))
`

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    typeRoots: [join(import.meta.dir, '../node_modules/@types')],
    types: ['bun'],
  },
}

async function run(command: readonly string[], cwd: string): Promise<string> {
  const { out, err, code } = await resultOf(Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe' }))
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}:\n${out}${err}`)
  return out
}

using home = tempFolder()
const cwd = home.path
await run(
  [
    'npm',
    'install',
    '--prefix',
    cwd,
    '--no-audit',
    '--no-fund',
    ...Object.values(GENERATORS).flatMap(({ packages }) => packages),
  ],
  cwd,
)
await using server = await serveProcess(['--demo'], { cwd })
const key = (await run([...COMMAND, 'keys', 'create', '--demo', '--name', 'generators'], cwd)).trim()
const get = async (path: string) => (await fetch(server.url + path)).json()
const expected = await get('/api/v3/passports/42?include=credentials,standing')

const document = await get('/openapi.json')
const file = join(cwd, 'openapi.json')
await Bun.write(file, JSON.stringify(document))
const fields = Object.keys(document.components.schemas.V3Passport.properties)
for (const [name, { packages, command, program }] of Object.entries(GENERATORS)) {
  const folder = join(cwd, 'generated', name)
  mkdirSync(folder, { recursive: true })
  const [tool = '', ...args] = command(file, folder)
  await run([join(cwd, 'node_modules/.bin', tool), ...args], cwd)
  await Bun.write(join(folder, 'program.ts'), toProgram(program, fields))
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await run([join(import.meta.dir, '../node_modules/.bin/tsc'), '-p', folder], folder)
  const result = JSON.parse(
    await run([process.execPath, join(folder, 'program.ts'), server.url, key], folder),
  )
  const wanted = {
    status: 200,
    missing: 404,
    score: expected.score,
    name: expected.passport_profile.display_name,
    types: expected.credentials.map(({ type }: { type: string }) => type),
    rank: expected.standing.rank,
    found: 1,
    fields: fields.length,
  }
  if (!Bun.deepEquals(result, wanted))
    throw new Error(`${name} read ${JSON.stringify(result)}, expected ${JSON.stringify(wanted)}.`)
  console.log(`${packages.join(' and ')}: compiled, ${fields.length} fields, read passport 42`)
}
