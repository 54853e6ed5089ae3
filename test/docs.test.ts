import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Reader, startReader } from './support/docs/docs-runner.ts'
import { type Example, PAGES, readExamples } from './support/docs/examples.ts'
import { tempFolder } from './support/temp-folder.ts'

/** Every block that is only read, by page, heading, language and number, with the reason. */
const NOT_RUN: Record<string, string> = {
  'README.md: passportd: sh':
    'installs packages and runs all tests; test/cli/serve/serve.test.ts does npm start',
  'docs/backup.md: PostgreSQL: sh':
    'needs programs that may be missing; test/cli/backup.test.ts does the same',
  'docs/mcp.md: Over HTTP: sh': 'serves until it is stopped; test/cli/mcp.test.ts does the same',
  'docs/performance.md: Performance: sh': 'measures for half an hour',
  'docs/records.md: Import: text': 'two refusals out of many; test/ingest/malformed.test.ts has them all',
  'docs/records.md: Mirror: text': 'the report of a mirror of ten thousand passports',
  'docs/reliability.md: Guarantees, and how they are verified: sh': 'stress; its short form is tests',
  'docs/scale.md: When to move: sh': 'needs sudo',
  'docs/scale.md: A set-up to begin with: sh': 'needs a container engine',
}

const EXAMPLES = PAGES.flatMap(readExamples)

const isListed = ({ name }: Example) => name in NOT_RUN

type Run = (example: Example, text: string, folder: string) => unknown

/** By language, what a reader does with a block: the text has the reader's own addresses and folders. */
const RUN: Record<string, Run> = {
  sh: (_, text, folder) => reader.run(['sh', '-ec', text], folder),
  crontab: (_, text, folder) => reader.run(['sh', '-ec', commandOfCron(text)], folder),
  ini: (_, text, folder) => reader.run(['sh', '-ec', commandOfUnit(text)], folder),
  py: (_, text, folder) => runProgram(['python3', '-c', text], folder),
  js: (_, text, folder) => runProgram(['node', '--input-type=module', '-e', text], folder),
  async ts(example, text, folder) {
    const path = join(folder, `${example.line}.ts`)
    await Bun.write(path, text)
    await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    await runProgram([process.execPath, path], folder)
  },
  async text(_, text, folder) {
    const [command = '', ...output] = text.split('\n')
    expect(timeless(await reader.run(['sh', '-ec', command.slice(2)], folder))).toBe(
      timeless(output.join('\n')),
    )
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

/** Those of the pages all have something to tell. */
async function runProgram(command: readonly string[], folder: string): Promise<void> {
  expect(await reader.run(command, folder)).not.toBe('')
}

/** A `text` is output; where it begins with a command, that is run and must print the rest. */
const canRun = ({ language, text }: Example) =>
  language in RUN && (language !== 'text' || text.startsWith('$ '))

/** What a machine with Node and npm may lack. */
const programsOf = ({ language, text }: Example) => [
  ...(language === 'py' ? ['python3'] : []),
  ...(language === 'sh' && /^curl /m.test(text) ? ['curl'] : []),
]

/** Years go on. */
const timeless = (text: string) => text.trim().replace(/\d+\.\d+ years/g, 'N years')

const commandOfCron = (line: string) => line.split(/\s+/).slice(5).join(' ').replaceAll('\\%', '%')

/** The settings of a unit must read as such; what it starts is run as systemd would read it. */
function commandOfUnit(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) expect(line).toMatch(/^\[\w+\]$|^\w+ ?= ?\S/)
  const command = lines.find((line) => line.startsWith('ExecStart='))?.slice('ExecStart='.length) ?? ':'
  return command.replaceAll('$$', '$').replaceAll('%%', '%')
}

const ROOT = join(import.meta.dir, '..')
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
let reader: Reader

beforeAll(async () => {
  reader = await startReader(home.path, EXAMPLES)
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

test('every example is run, or listed with the reason', () => {
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
      folder = await reader.openFolder(page)
    })
    for (const example of examples) {
      const missing = programsOf(example).filter((program) => Bun.which(program) === null)
      const isLeftOut = missing.length > 0 && process.env.CI !== 'true'
      const title = `${example.heading}, line ${example.line}`
      test.skipIf(isLeftOut)(isLeftOut ? `${title}: LEFT OUT, there is no ${missing}` : title, async () => {
        await RUN[example.language]?.(example, reader.adapt(example.text, folder), folder)
      })
    }
  })
}

test('examples in TypeScript have no errors of type', async () => {
  const folder = join(home.path, 'types')
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const written = EXAMPLES.filter(({ language }) => language === 'ts')
  for (const [index, { text }] of written.entries()) await Bun.write(join(folder, `${index}.ts`), text)
  expect(written).not.toBeEmpty()
  expect(await reader.run([join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', folder], folder)).toBe('')
})

test('metrics that pages ask for are there', async () => {
  await fetch(`${reader.url}/api/v1/passports/42`)
  const metrics = await (await fetch(reader.metricsUrl)).text()
  const asked = EXAMPLES.filter(({ language }) => language === 'yaml').flatMap(
    ({ text }) => text.match(/passportd_\w+/g) ?? [],
  )
  expect(asked).not.toBeEmpty()
  expect(asked.filter((name) => !metrics.includes(`\n${name}`))).toEqual([])
})
