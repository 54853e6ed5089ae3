import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { run, serveProcess } from '../support/cli.ts'
import { saveRecords } from '../support/engines.ts'
import { record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const DATABASE = 'data/passportd.db'

async function fill(cwd: string, count: number): Promise<void> {
  const store = openSqlite(join(cwd, DATABASE))
  await saveRecords(
    store,
    Array.from({ length: count }, (_, id) => record(id, { stale: true })),
  )
  await store.close()
}

async function countStale(cwd: string): Promise<number> {
  const store = openSqlite(join(cwd, DATABASE))
  const count = await store.scoring.countStale()
  await store.close()
  return count
}

const rulesFile = (cwd: string, version: string) => {
  const path = join(cwd, `rules-${version}.json`)
  const rule = {
    name: 'Kites',
    category: 'Skills',
    max_score: 9,
    convert: 'none',
    multiplier: 1,
    accounts: 'best',
    proves_human: false,
  }
  writeFileSync(path, JSON.stringify({ version, types: { kites: rule } }))
  return path
}

test('score works off what is stale, and tells how many', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 120)
  expect(await run(['score'], { cwd })).toEqual({
    out: '',
    err: 'Scored 120 passports by rule set 2026-11.\n',
    code: 0,
  })
  expect((await run(['score'], { cwd })).err).toBe('Scored 0 passports by rule set 2026-11.\n')
  expect((await run(['score', '--all'], { cwd })).err).toBe('Scored 120 passports by rule set 2026-11.\n')
})

test('several processes at once share the work: together they do each passport once', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 3000)
  const reports = await Promise.all([
    run(['score'], { cwd }),
    run(['score'], { cwd }),
    run(['score'], { cwd }),
  ])
  const done = reports.map(({ err }) => Number(/Scored ([\d,]+)/.exec(err)?.[1]?.replace(',', '')))
  expect(done.reduce((sum, count) => sum + count)).toBe(3000)
  expect(await countStale(cwd)).toBe(0)
}, 20_000)

test('a scorer that is killed leaves nothing stale for ever', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 5000)
  for (let kill = 0; kill < 5; kill++) {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../src/cli/main.ts'), 'score'], {
      cwd,
      env: {},
      stderr: 'ignore',
    })
    await Bun.sleep(180 + kill * 25)
    child.kill('SIGKILL')
    await child.exited
  }
  const left = await countStale(cwd)
  const { err } = await run(['score'], { cwd })
  expect(err).toContain(`Scored ${left.toLocaleString('en')} passports`)
  expect(await countStale(cwd)).toBe(0)
}, 20_000)

test('serve works them off while it serves, and a data point that comes in is scored on screen', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 500)
  await using server = await serveProcess([], { cwd })
  const until = async (ready: (passport: Record<string, unknown>) => boolean) => {
    for (;;) {
      const { passport } = (await (await fetch(`${server.url}/api/v1/passports/499`)).json()) as {
        passport: Record<string, unknown>
      }
      if (ready(passport)) return passport
      await Bun.sleep(20)
    }
  }
  await until(({ calculating_score }) => calculating_score === false)
  writeFileSync(
    join(cwd, 'points.jsonl'),
    '{"passport":499,"type":"base_builder","value":9,"display":"9 contracts"}\n',
  )
  expect((await run(['import', 'points.jsonl'], { cwd })).code).toBe(0)
  expect(await until(({ score }) => score === 18)).toMatchObject({
    skills_score: 18,
    calculating_score: false,
  })
}, 20_000)

test('score --watch goes on until it is told to stop', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 1)
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, '../../src/cli/main.ts'), 'score', '--watch'],
    {
      cwd,
      env: {},
      stderr: 'pipe',
    },
  )
  while ((await countStale(cwd)) > 0) await Bun.sleep(20)
  await fill(cwd, 3)
  await saveStale(cwd)
  while ((await countStale(cwd)) > 0) await Bun.sleep(20)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(await new Response(child.stderr).text()).toContain('Watching for stale passports')
}, 20_000)

async function saveStale(cwd: string): Promise<void> {
  const store = openSqlite(join(cwd, DATABASE))
  await store.scoring.markAll()
  await store.close()
}

test('a new rule set makes every passport stale, and the old one is not used on it', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await fill(cwd, 40)
  const [one, two] = [rulesFile(cwd, 'one'), rulesFile(cwd, 'two')]
  await run(['score'], { cwd, env: { RULES: one } })
  expect((await run(['score'], { cwd, env: { RULES: one } })).err).toContain('Scored 0 ')
  expect((await run(['score'], { cwd, env: { RULES: two } })).err).toBe(
    'Scored 40 passports by rule set two.\n',
  )
})

test.each(['serve', 'score', 'import', 'explain'])(
  '%s refuses a rule set that will not do, by name',
  async (command) => {
    using folder = tempFolder()
    const cwd = folder.path
    writeFileSync(join(cwd, 'bad.json'), '{"version":"1","types":{"a":{}}}')
    writeFileSync(join(cwd, 'x.jsonl'), '')
    const args = { serve: [], score: [], import: ['x.jsonl'], explain: ['1'] }[command] ?? []
    const { err, code } = await run([command, ...args], { cwd, env: { RULES: 'bad.json' } })
    expect(code).toBe(1)
    expect(err).toMatch(
      /^passportd: RULES names bad\.json, which will not do: types\.a\.name is missing\. \(and 6 more: .*\)\n$/,
    )
  },
)
