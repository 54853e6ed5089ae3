import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { LIMITS } from '../../../src/core/passport/record-size.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { workplace } from '../cli-sandbox.ts'
import { databaseMaker } from '../store/engines.ts'

/** A text that takes `bytes` bytes as JSON. It has control characters, which take six bytes each. */
const text = (bytes: number) => '\u0001'.repeat(Math.floor((bytes - 2) / 6)).padEnd(4, 'x')

/** As many different texts as fit into a list of `bytes` bytes. */
function texts(bytes: number, length: number): string[] {
  const all: string[] = []
  while (Buffer.byteLength(JSON.stringify(all)) <= bytes) all.push(`${all.length}`.padStart(length, 'é'))
  return all.slice(0, -1)
}

const size = (name: keyof typeof LIMITS) => LIMITS[name].bytes

/** A record in which all fields that lists show have the largest accepted size. */
const largest = (id: number) => ({
  passport_id: id,
  score: 999_999_999.99,
  activity_score: 999_999_999.99,
  identity_score: 999_999_999.99,
  skills_score: 999_999_999.99,
  connections_count: Number.MAX_SAFE_INTEGER,
  main_wallet: `${id}`.padStart(128, '\u0001'),
  image_url: 'https://example.com/'.padEnd(size('image_url') - 2, 'x'),
  verified_wallets: texts(size('verified_wallets'), 100).map((wallet) => `${id}${wallet}`.slice(0, 100)),
  passport_profile: {
    bio: text(size('passport_profile.bio')),
    display_name: text(size('passport_profile.display_name')),
    location: text(size('passport_profile.location')),
    tags: texts(size('passport_profile.tags'), 100),
  },
})

/** The bytes of each of 250 list items with the largest accepted fields. */
export async function sizesOfLargestPage(
  listItems: (store: Store, ids: number[]) => Promise<string[]>,
): Promise<number[]> {
  await using here = await workplace(databaseMaker('sqlite'))
  const file = here.path('large.jsonl')
  writeFileSync(file, Array.from({ length: 250 }, (_, id) => `${JSON.stringify(largest(id))}\n`).join(''))
  const { code, err } = await here.call('import', file)
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('250 added') })
  const ids = Array.from({ length: 250 }, (_, id) => id)
  const items = await here.look((store) => listItems(store, ids))
  expect(items).toHaveLength(250)
  return items.map((item) => Buffer.byteLength(item))
}

/** Each item has a comma. */
export const sumOf = (sizes: readonly number[]) => sizes.reduce((total, bytes) => total + bytes + 1, 200)
