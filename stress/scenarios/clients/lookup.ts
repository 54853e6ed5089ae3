import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../../src/core/store/database-address.ts'
import { openStore } from '../../../src/core/store/open.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { testDatabase } from '../../../test/support/postgres/postgres.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { saveRecords } from '../../../test/support/store/engines.ts'
import { record } from '../../../test/support/store/records.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'

const CLIENTS = 4
const LONGEST_LIST = 30
const PASSPORTS = 41

const walletOf = (id: number) => `0x${id.toString(16).padStart(40, 'a')}`

/** Passports 31 to 40 are merged into 1 to 10, and passport 41 into 40. */
const mergedInto = (id: number) => (id === 41 ? 40 : id > 30 ? id - 30 : undefined)

const survivorOf = (id: number): number => {
  const next = mergedInto(id)
  return next === undefined ? id : survivorOf(next)
}

/** The handles of a person: a unique one, one that two people share, and one that all people share. */
const namesOf = (id: number) => [
  { source: 'github', name: `Name${id > 30 ? id - 30 : id}` },
  { source: 'farcaster', name: `pair${Math.floor(id / 2)}` },
  { source: 'lens', name: 'shared' },
]

const ids = Array.from({ length: PASSPORTS }, (_, at) => at + 1)
const NO_TEXT = {
  displayName: '',
  bio: '',
  location: '',
  url: '',
  imageUrl: '',
  followers: '',
  following: '',
}

export const lookup: Scenario = {
  name: 'lookup',
  title: 'lookups of random lists of keys, whose items must be right and in order',
  long: 100_000,
  short: 300,
  async run(times, fail) {
    using folder = tempFolder()
    const sqlite = `sqlite:${join(folder.path, 'lookup.db')}`
    await using postgres = times > 1000 ? await testDatabase() : undefined
    const urls = [sqlite, ...(postgres ? [postgres.url] : [])]
    let keys = 0
    for (const [at, url] of urls.entries()) {
      keys += await lookUpRandomly(folder.path, url, { times: times / urls.length, seed: at }, fail)
    }
    return { count: times, note: `${keys.toLocaleString('en')} keys` }
  },
}

async function lookUpRandomly(
  cwd: string,
  url: string,
  { times, seed }: { times: number; seed: number },
  fail: Fail,
): Promise<number> {
  const store = await openStore(parseDatabaseAddress(url) as DatabaseAddress)
  await saveRecords(store, ids.map(toRecord))
  const { key } = await makeKey(store, 1)
  await store.database.close()
  const env = { DATABASE_URL: url, TIERS: 'standard=unlimited' }
  await using server = await serveProcess(['--workers', '2'], { cwd, env })
  const random = createRandom(seed + 1)
  let sent = 0
  let total = 0
  const client = async () => {
    while (sent < times) {
      sent++
      const keys = Array.from({ length: random.whole(0, LONGEST_LIST) }, () => randomKey(random))
      total += keys.length
      const response = await fetch(`${server.url}/api/v3/lookup`, {
        method: random.whole(0, 1) === 0 ? 'POST' : 'QUERY',
        headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ keys, select: ['passport_id'] }),
      })
      const items = keys.map(expectedItem)
      const found = items.filter((item) => 'passport' in item).length
      const text = await response.text()
      if (text !== JSON.stringify({ items, found }))
        fail(`${JSON.stringify(keys)}: ${response.status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return total
}

const toRecord = (id: number) => {
  const target = mergedInto(id)
  return record(id, {
    mainWallet: walletOf(id),
    socials: namesOf(id).map((social) => ({ ...NO_TEXT, ...social })),
    ...(target !== undefined && { mergedInto: target }),
  })
}

const MALFORMED = ['', ':x', 'github:', '9'.repeat(20), 'x'.repeat(129)]

function randomKey(random: Random): string {
  const id = random.whole(0, PASSPORTS + 5)
  const { source, name } = random.pick(namesOf(id))
  return random.pick([
    String(id),
    walletOf(id),
    walletOf(id).toUpperCase().replace('X', 'x'),
    `${source}:${name}`,
    `${source.toUpperCase()}:@${name.toLowerCase()}`,
    random.pick(MALFORMED),
  ])
}

/** Finds the expected item by comparing the key with every passport. */
function expectedItem(key: string): object {
  if (MALFORMED.includes(key)) return { key, error: 'malformed' }
  const folded = key.toLowerCase().replace(':@', ':')
  const owners = ids.filter(
    (id) =>
      String(id) === key ||
      walletOf(id) === folded ||
      namesOf(id).some(({ source, name }) => `${source}:${name}`.toLowerCase() === folded),
  )
  const survivors = [...new Set(owners.map(survivorOf))].sort((one, other) => one - other)
  const [first] = survivors
  if (first === undefined) return { key, error: 'not_found' }
  if (survivors.length > 1) return { key, error: 'ambiguous', candidates: survivors.slice(0, 10) }
  return { key, passport: { passport_id: first } }
}
