import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DocsRunner,
  type Example,
  readExamples,
  startDocsRunner,
  usesPythonClient,
} from '../../support/docs/docs-runner.ts'
import { PAGES } from '../../support/docs/pages.ts'
import { findProgram, hasPrograms } from '../../support/programs.ts'
import { installPythonClient, type PythonClient } from '../../support/python-client.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Examples that are not run, with the reason. The key is the page, heading, language and number of an example. */
const NOT_RUN: Record<string, string> = {
  'README.md: Try it: sh':
    'installs packages and runs all tests; test/system/packaging/npm-package.test.ts runs the installed command',
  'docs/api/events.md: Streams: text':
    'part of a stream; test/features/events/streams.test.ts checks streams',
  'docs/backup.md: PostgreSQL: sh':
    'needs programs that may be missing; test/system/features/backup/backup.test.ts runs the same commands',
  'docs/migrate.md: Go: `earned_at` may be empty: go': 'needs Go; was run by hand with Go 1.19',
  'docs/performance.md: Performance: sh': 'runs for half an hour',
  'docs/records.md: Import: text':
    'two of many error messages; test/features/records/malformed-records.test.ts has all',
  'docs/records.md: Mirror: text': 'the report of a mirror of ten thousand passports',
  'docs/reliability.md: Stress runs: sh': 'the tests run the short form of stress',
  'docs/scale.md: When to move: sh': 'needs sudo',
  'docs/scale.md: High availability: sh':
    'installs packages and runs until it is stopped; stress ha-failover runs the script',
  'docs/scale.md: Backups of the cluster, and a point in time: text': 'needs pgBackRest',
  'docs/scale.md: Backups of the cluster, and a point in time: text 2': 'needs pgBackRest',
  'docs/scale.md: Example deployment: sh': 'needs a container engine',
  'docs/upgrade.md: Migration: text':
    'needs an older release; test/system/core/cli/migrate.test.ts checks the message',
  'docs/upgrade.md: New schema: stop first: text': 'test/system/core/cli/migrate.test.ts checks the message',
  'docs/upgrade.md: Go back: text':
    'needs an older release; test/core/store/sqlite.test.ts checks the message',
  'docs/upgrade.md: Go back: sql': 'test/system/core/cli/migrated-files-and-schemas.test.ts runs it',
  'docs/upgrade.md: Go back: sql 2': 'test/system/core/cli/migrated-files-and-schemas.test.ts runs it',
}

const EXAMPLES = PAGES.flatMap(readExamples)

const isListed = ({ name }: Example) => name in NOT_RUN

type Run = (example: Example, text: string, folder: string) => unknown

/** Functions that run blocks, by language. `text` is the block with the test's URLs and folders. Failures throw. */
const RUN: Record<string, Run> = {
  sh: (_, text, folder) => runScript(text, folder),
  ini: (_, text) => expectSettings(text),
  py: (_, text, folder) =>
    usesPythonClient(text)
      ? runProgram([findProgram('python3-build') as string, '-c', text], folder, {
          PYTHONPATH: pythonClient.site,
        })
      : runProgram(
          [usesJwcrypto(text) ? (findProgram('python3-jwcrypto') as string) : 'python3', '-c', text],
          folder,
        ),
  js: (_, text, folder) => runProgram(['node', '--input-type=module', '-e', text], folder),
  async ts(example, text, folder) {
    const path = join(folder, `${example.line}.ts`)
    await Bun.write(path, text)
    await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    await runProgram([process.execPath, path], folder)
  },
  async text(_, text, folder) {
    const [command = '', ...output] = text.split('\n')
    expect(withoutYears(await runScript(command.slice(2), folder))).toBe(withoutYears(output.join('\n')))
  },
  json: (_, text) => JSON.parse(text),
  jsonl: (_, text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  yaml: (_, text) => expect(Bun.YAML.parse(text)).toBeObject(),
  async html(_, text) {
    const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address)
    expect(addresses).not.toBeEmpty()
    for (const address of addresses) expect((await fetch(address)).status).toBe(200)
  },
}

const runScript = (script: string, folder: string) => runner.run(['sh', '-ec', script], folder)

/** Expects some output, because every program on the pages prints something. */
async function runProgram(command: readonly string[], folder: string, more = {}): Promise<void> {
  expect(await runner.run(command, folder, { KEY: runner.key, ...more })).not.toBe('')
}

/** A `text` block is output. If it begins with a command, the command must print the rest. */
const canRun = ({ language, text }: Example) =>
  language in RUN && (language !== 'text' || text.startsWith('$ '))

const usesJwcrypto = (text: string) => /^from jwcrypto /m.test(text)

/** Programs that may be missing on a machine with Node and npm. */
const programsOf = ({ language, text }: Example) => [
  ...(language === 'py' ? (['python3'] as const) : []),
  ...(language === 'py' && usesPythonClient(text) ? (['python3-build'] as const) : []),
  ...(language === 'py' && /^import requests$/m.test(text) ? (['python3-requests'] as const) : []),
  ...(language === 'py' && usesJwcrypto(text) ? (['python3-jwcrypto'] as const) : []),
  ...(language === 'sh' && /^curl /m.test(text) ? (['curl'] as const) : []),
  ...(language === 'sh' && /^openssl /m.test(text) ? (['openssl'] as const) : []),
]

/** Numbers of years are replaced, because they depend on the current date. */
const withoutYears = (text: string) => text.trim().replace(/\d+\.\d+ years/g, 'N years')

function expectSettings(text: string): void {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) expect(line).toMatch(/^\[\w+\]$|^\w+ ?= ?\S/)
}

const ROOT = join(import.meta.dir, '../../..')
const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    noUnusedLocals: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { '@passportd/client': [join(ROOT, 'packages/client/src/index.ts')] },
  },
  include: ['*.ts'],
}

const home = tempFolder()
let runner: DocsRunner
let pythonClient: PythonClient

beforeAll(async () => {
  runner = await startDocsRunner(home.path, EXAMPLES)
  if (hasPrograms('python3-build')) pythonClient = await installPythonClient(join(home.path, 'python'))
})
afterAll(async () => {
  await runner[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

test('every example in the docs is run, or listed with the reason why it is not run', () => {
  expect(EXAMPLES.length).toBeGreaterThan(30)
  const names = EXAMPLES.map(({ name }) => name)
  expect(Object.keys(NOT_RUN).filter((name) => !names.includes(name))).toEqual([])
  expect(EXAMPLES.filter((each) => !canRun(each) && !isListed(each)).map(({ name }) => name)).toEqual([])
})

for (const page of PAGES) {
  const examples = readExamples(page).filter((each) => canRun(each) && !isListed(each))
  if (examples.length === 0) continue
  describe(page, () => {
    let folder = ''
    beforeAll(async () => {
      folder = await runner.openFolder(page)
    })
    for (const example of examples) {
      const title = `${example.heading}, line ${example.line}`
      test.if(hasPrograms(...programsOf(example)))(title, async () => {
        const text = runner.adapt(example.text, folder)
        const running = Promise.try(() => RUN[example.language]?.(example, text, folder))
        expect(await running.then(() => '', String)).toBe('')
      })
    }
  })
}

test('examples in TypeScript have no type errors', async () => {
  const folder = join(home.path, 'types')
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const written = EXAMPLES.filter(({ language }) => language === 'ts')
  for (const [index, { text }] of written.entries()) await Bun.write(join(folder, `${index}.ts`), text)
  expect(written).not.toBeEmpty()
  expect(await runner.run([join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', folder], folder)).toBe('')
})
