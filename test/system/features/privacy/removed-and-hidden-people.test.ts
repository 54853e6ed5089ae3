import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { startService } from '../../../../src/serve/service.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { pagesOf } from '../../../support/explorer/explorer-server.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { createLog } from '../../../support/program/log.ts'
import { readConfig } from '../../../support/program/settings.ts'
import {
  listTargets,
  marksIn,
  marksInFiles,
  marksInTables,
  PERSON,
  WALLET,
} from '../../../support/removed-person.ts'
import { addressOf, withEveryEngine } from '../../../support/store/engines.ts'
import { openStore } from '../../../support/store/open.ts'
import { named } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const UNLIMITED = 'anonymous=unlimited,explorer=unlimited,pictures=unlimited,standard=unlimited'

/** A node with all its threads. `lines` is its log. */
async function startNode(url: string) {
  const settings = { PORT: '0', DATABASE_URL: url, TIERS: UNLIMITED, LOG_REQUESTS: '1' }
  const config = readConfig(settings, { demo: false })
  const store = await openStore(addressOf({ url }))
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), json: true, now: Date.now })
  const service = await startService({ config, workers: 1, store, log })
  return {
    lines,
    store,
    url: new URL(service.url).origin,
    async [Symbol.asyncDispose]() {
      await service.stop()
      await store.database.close()
    },
  }
}

/** The page and the card of a credential are lists of people. */
const isSingle = (target: string) =>
  /7|qzx/.test(target.split('?')[0] as string) && !/^\/(card\/)?credentials?\//.test(target)

type Node = { url: string }

/** Requests that show the person, and pictures of the person. */
async function listLeaks({ url }: Node, targets: readonly string[], key: string): Promise<string[]> {
  const leaks: string[] = []
  const check = async (target: string, init: RequestInit = {}) => {
    const type = init.body ? { 'Content-Type': 'application/json' } : { Accept: 'text/html, */*' }
    const headers = { ...type, ...(target.startsWith('/api') && { 'X-API-KEY': key }) }
    const response = await fetch(url + target.replace('ORIGIN', url), {
      ...init,
      headers,
      redirect: 'manual',
    })
    const head = JSON.stringify([...response.headers])
    expect([429, 500, 503]).not.toContain(response.status)
    const isPicture = response.ok && /^\/(card|badge)\/(7|0xqzx|credential\/qzx)/.test(target)
    const asked = `${target} ${init.body ?? ''}`
    if (isPicture || marksIn(`${head} ${await response.text()}`, asked).length > 0) leaks.push(target)
  }
  const rest = targets.values()
  const lane = async () => {
    for (const target of rest) await check(target)
  }
  await Promise.all([lane(), lane(), lane(), lane()])
  const include = ['credentials', 'standing', 'explanation']
  const body = JSON.stringify({ keys: ['7', WALLET, 'github:qzxhandle'], include })
  await check('/api/v3/lookup', { method: 'POST', body })
  return leaks
}

withEveryEngine('two nodes', (makeDatabase) => {
  test.each([
    ['removed', ['remove', '7', '--yes']],
    ['hidden', ['hide', '7']],
  ])('show a %s person on no route or page', async (how, command) => {
    await using here = await workplace(makeDatabase, {
      records: [PERSON, named(8, 'Grete', 1), named(9, 'Otto', 2)],
    })
    const { url } = { url: here.env.DATABASE_URL }
    await using one = await startNode(url)
    await using other = await startNode(url)
    const scopes = ['read', 'events', 'write:*'] as const
    const { key } = await makeKey(one.store, 1, { scopes: [...scopes] })
    const targets = listTargets(pagesOf(one.store))
    await until(async () => (await listLeaks(other, ['/api/v3/passports'], key)).length > 1, 'the list')
    const before = await listLeaks(one, targets, key)
    expect(EXPECTED.filter((target) => !before.includes(target))).toEqual([])

    expect((await here.call(...command)).code).toBe(0)
    const [single = [], lists = []] = [true, false].map((is) =>
      targets.filter((path) => isSingle(path) === is),
    )
    for (const node of [one, other]) expect(await listLeaks(node, single, key)).toEqual([])
    // Lists of a node follow within a second, which a busy machine may exceed.
    for (const node of [one, other])
      await until(async () => (await listLeaks(node, lists, key)).length === 0, 'the lists')
    if (how === 'hidden') return
    expect(await marksInTables(url)).toEqual([])
    if (url.startsWith('sqlite:')) expect(marksInFiles(dirname(url.slice('sqlite:'.length)))).toEqual([])
    expect([...one.lines, ...other.lines].flatMap((line) => marksIn(line))).toEqual([])
  })
})

/** Some of the requests that show a visible person. */
const EXPECTED = [
  ...['/', '/passports/7', '/passports/7/score', '/passports/7/credentials', '/badge/7.svg', '/card/7.png'],
  ...['/api/v3/passports', '/api/v3/passports/7'],
  ...[
    '/api/v3/lookup',
    '/credentials',
    '/api/v3/passports?group_by=tag',
    '/movers',
    '/compare?ids=7,9',
    '/?q=qzxhan',
  ],
]
