import { expect, test } from 'bun:test'
import { readable, serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { pointOf, rescore } from '../../../support/explorer/sample-passport.ts'
import { shareServer } from '../../../support/http/server.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { credential, NOON, record, social } from '../../../support/store/records.ts'

const ZALGO = `a${'\u0301\u0322\u0353'.repeat(700)}`
const LONG = '&"<x>\u0416'.repeat(400)

const texts = { displayName: LONG, bio: LONG, location: LONG, followers: LONG, following: LONG }
const url = `https://example.com/${'&'.repeat(900)}`

/** A record with all fields, long texts and long lists. */
const huge = (id: number, displayName: string) =>
  record(id, {
    scores: { total: 2001, activity: 0, identity: 2001, skills: 0 },
    human: true,
    mainWallet: `0x${id}${'f'.repeat(125)}`,
    verifiedWallets: Array.from({ length: 300 }, (_, at) => `0x${id}${String(at).padStart(120, '0')}`),
    profile: {
      displayName,
      bio: '\u0301&"'.repeat(7000),
      location: LONG,
      tags: Array.from({ length: 1000 }, (_, at) => `${at}&${LONG}`.slice(0, 60)),
    },
    socials: Array.from({ length: 200 }, (_, at) => social(LONG, `${at}${LONG}`, { ...texts, url })),
    credentials: Array.from({ length: 2000 }, (_, at) =>
      credential(`c${at}`, {
        type: `type-${at}-${'&'.repeat(180)}`,
        name: `${at} ${LONG}`,
        value: LONG,
        score: at % 2,
        maxScore: 5,
        earnedAt: NOON,
      }),
    ),
  })

const server = shareServer(() => openTestStore('sqlite', [huge(1, LONG), huge(2, ZALGO)]), serveExplorer)

test('every page of a passport is below 200 KB, even for the largest records', async () => {
  for (const path of ['1', '1/score', '1/credentials', '1/credentials?page=27', '2']) {
    const { status, text } = await server.look(`/passports/${path}`)
    expect([path, status]).toEqual([path, 200])
    const size = Buffer.byteLength(text)
    expect([path, size < 200_000 || size]).toEqual([path, true])
  }
})

test('the explanation of the largest record stays below 200 KB', async () => {
  const long = '"\u0300&\u{1f469}\u200d\u{1f4bb}'.repeat(40)
  const scored = { name: long, value: long, maxScore: 300 }
  const credentials = Array.from({ length: 300 }, (_, at) =>
    credential(`${at}`, { ...scored, type: `${at}`, category: `${at}${long}`, score: at }),
  )
  const dataPoints = Array.from({ length: 1200 }, (_, at) =>
    pointOf(`type ${at % 60}`, `${at}${long}`, 1e300, long),
  )
  await using server = await servePeople([record(1, { credentials, dataPoints, stale: true })])
  await rescore(server.store)
  const { text } = await server.look('/passports/1/score')
  expect(new Blob([text]).size).toBeLessThan(200_000)
  expect(readable(text)).toContain('300 more credentials with fewer points are not shown.')
})

test('the passport page truncates long lists and links to paginated lists of all credentials', async () => {
  const words = readable((await server.look('/passports/1')).text)
  for (const part of [
    / \+9\d\d /,
    /Accounts .* and 19\d more/,
    /Wallets .* and 2\d\d more/,
    /1,000 credentials without points/,
    /All 2,000 credentials/,
  ])
    expect(words).toMatch(part)
  const page = await server.look('/passports/1/credentials')
  expect(page.text.match(/<tr><th scope="row">/g)).toHaveLength(75)
  expect(readable(page.text)).toContain('Page 1 of 27 Next')
  expect(page.text).toContain('<a href="/passports/1/credentials?page=2"')
  const last = await server.look('/passports/1/credentials?page=27')
  expect(readable(last.text)).toContain('Previous Page 27 of 27')
  expect((await server.look('/passports/1/credentials?page=28')).status).toBe(404)
  expect((await server.look('/passports/1/credentials?page=x')).status).toBe(400)
  expect((await server.look('/passports/3/credentials')).status).toBe(404)
})

test('a bio has 600 characters at most', async () => {
  const bios = ['Short.', 'word '.repeat(200)]
  await using server = await servePeople(bios.map((bio, at) => record(at + 1, { profile: { bio } })))
  const read = async (id: number) => (await server.look(`/passports/${id}`)).text
  expect(await read(1)).toContain('<p class="bio clamp" dir="auto">Short.</p>')
  expect(/<p class="bio clamp" dir="auto">([^<]*)/.exec(await read(2))?.[1]).toHaveLength(601)
})
