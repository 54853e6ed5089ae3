import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { serveProcess } from '../../support/cli.ts'
import { inBrowser } from '../../support/explorer/browser.ts'
import { findProgram, hasPrograms } from '../../support/programs.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

const PROGRAMS = join(import.meta.dir, 'programs')
const [WALLET, OTHER_WALLET] = [
  '0xde300336109b98de47dd98b5d09fdef2358cd6c2',
  '0xde30db14bfeae3630539aa60212f1171f33fdc66',
]
const NOBODY = '0x000000000000000000000000000000000000dead'

/** The demo and a key. Scores depend on the day, so they are compared with those of v3. */
async function serveDemo() {
  const folder = tempFolder()
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'demo.db')}` }
  const server = await serveProcess(['--demo'], { cwd: folder.path, env })
  const get = async (path: string) => (await fetch(`${server.url}/api/v3${path}`)).json()
  const isScored = async () => {
    const pages = [1, 2, 3, 4].map((page) =>
      fetch(`${server.url}/api/v1/passports?per_page=250&page=${page}`),
    )
    const texts = await Promise.all(pages.map(async (page) => (await page).text()))
    return texts.every((text) => !text.includes('"calculating_score":true'))
  }
  await until(isScored, 'the scores of all people')
  return {
    url: server.url as string,
    get,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

let demo: Awaited<ReturnType<typeof serveDemo>>
beforeAll(async () => {
  demo = await serveDemo()
})
afterAll(() => demo[Symbol.asyncDispose]())

async function run(url: string, file: string, ...args: string[]): Promise<unknown> {
  const program = file.endsWith('.py') ? (findProgram('python3-requests') ?? '') : process.execPath
  const env = { PATH: process.env.PATH ?? '', API_URL: url, API_KEY: '' }
  const child = Bun.spawn([program, join(PROGRAMS, file), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out = '', err] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  )
  expect([file, err]).toEqual([file, ''])
  return JSON.parse(out)
}

test('programs that were written for the later API run with only the base URL changed', async () => {
  const ask = (file: string, ...args: string[]) => run(demo.url, file, ...args)
  const person = await demo.get('/passports/42?include=credentials,standing')
  const [points, rank, name] = [person.score, person.standing.rank, person.passport_profile.display_name]

  expect(await ask('score-badge.js', WALLET)).toEqual({ label: 'Builder Score', value: points, rank })
  expect(await ask('gate.js', '42', 'github:rutainkwellstone308', NOBODY)).toEqual({
    42: points >= 40,
    'github:rutainkwellstone308': points >= 40,
    [NOBODY]: false,
  })
  expect(await ask('farcaster-frame.js', '501383')).toEqual({
    title: name,
    picture: 'http:',
    points,
    tags: person.passport_profile.tags.join(' '),
  })
  expect(await ask('wallet-list.js', NOBODY, OTHER_WALLET)).toEqual([[42, WALLET, person.human_checkmark]])
  expect(await ask('wallet-search.js', OTHER_WALLET, NOBODY)).toEqual([[42, name, points]])
  expect(await ask('handle-search.js', 'linkedin', 'rutainkwellstone308')).toEqual([42])
  expect(await ask('handle-search.js', 'linkedin', 'nobody-here')).toEqual([])
  expect(await ask('frame-scores.js', '501383')).toEqual([[points, rank]])
  expect(await ask('github-of.js', '42')).toEqual({
    username: 'rutainkwellstone308',
    points: ['github_developer'],
  })
  const { items } = await demo.get('/passports?limit=12')
  const least = items.at(-1).score
  const top = await demo.get(`/passports?filter=score:>=${least}&limit=100`)
  const ids = top.items.map(({ passport_id: id }: { passport_id: number }) => id)
  expect(await ask('top-builders.js', `${least}`)).toEqual(ids)
})

test.if(hasPrograms('python3-requests'))('Python programs run, too', async () => {
  const person = await demo.get('/passports/42?include=credentials')
  const sums: Record<string, number> = {}
  for (const { category, score } of person.credentials) sums[category] = (sums[category] ?? 0) + score
  expect(await run(demo.url, 'credentials.py', '42')).toEqual(sums)
  const counts = person.passport_socials.map(
    ({ follower_count: count }: { follower_count: number }) => count ?? 0,
  )
  expect(await run(demo.url, 'socials.py', '42', NOBODY)).toEqual({
    42: {
      sources: person.passport_socials.map(({ source }: { source: string }) => source),
      followers: counts.reduce((sum: number, count: number) => sum + count, 0),
      human: person.human_checkmark,
    },
    [NOBODY]: { sources: [], followers: 0, human: null },
  })
})

test.if(hasPrograms('curl'))(
  'curl gets the credentials as JSON, and with the Accept of a browser the page',
  async () => {
    const curl = async (...args: string[]) => {
      const child = Bun.spawn([
        'curl',
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code} %{content_type}',
        ...args,
      ])
      return new Response(child.stdout).text()
    }
    expect(await curl(`${demo.url}/credentials?id=42`)).toBe('200 application/json')
    expect(await curl(`${demo.url}/credentials`)).toBe('400 application/json')
    expect(await curl('-H', 'Accept: text/html', `${demo.url}/credentials`)).toBe(
      '200 text/html; charset=utf-8',
    )
  },
)

inBrowser('the later API in a browser', ({ newPage }) => {
  test('a React page shows people, and the path of the credentials stays a page', async () => {
    const built = await Bun.build({ entrypoints: [join(PROGRAMS, 'leaderboard.js')], minify: true })
    const script = await built.outputs[0]?.text()
    const html = `<!doctype html><body data-api="${demo.url}" data-key=""><div id="app"></div><script src="/page.js"></script>`
    using pages = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        url.endsWith('/page.js')
          ? new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
          : new Response(html, { headers: { 'Content-Type': 'text/html' } }),
    })
    const page = await newPage()
    await page.goto(pages.url.href)
    const [first] = (await demo.get('/passports?limit=1&include=credentials')).items
    const row = page.locator('li').first()
    expect(await row.textContent()).toBe(`1. ${first.passport_profile.display_name}: ${first.score}`)
    await row.click()
    await page.getByText(`${first.credentials.length} credentials`).waitFor()
    await page.goto(`${demo.url}/credentials`)
    expect(await page.locator('h1').count()).toBe(1)
    const json = await page.goto(`${demo.url}/credentials?id=42`)
    expect(await json?.headerValue('content-type')).toBe('application/json')
  })
})
