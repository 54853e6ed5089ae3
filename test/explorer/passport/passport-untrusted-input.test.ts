import { describe, expect, test } from 'bun:test'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { mira } from '../../support/explorer/sample-passport.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { credential, NOON, named, record } from '../../support/store/records.ts'

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

describe('untrusted input on the passport page', () => {
  test('is escaped, and only web addresses become links', async () => {
    const social = { source: HOSTILE, name: HOSTILE, displayName: HOSTILE, bio: HOSTILE, location: HOSTILE }
    const more = { imageUrl: 'https://example.com/x.png', followers: HOSTILE, following: HOSTILE }
    const urls = [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a/"onx="',
      'https://u:p@example.com',
      '//a',
    ]
    await using store = await openTestStore('sqlite', [
      record(6, {
        profile: { displayName: HOSTILE, bio: HOSTILE, location: HOSTILE, tags: [HOSTILE] },
        mainWallet: HOSTILE,
        socials: urls.map((url) => ({ ...social, ...more, url })),
        credentials: [
          credential(HOSTILE, { type: HOSTILE, name: HOSTILE, category: HOSTILE, value: HOSTILE, score: 1 }),
        ],
      }),
    ])
    const point = {
      type: 'github',
      account: HOSTILE,
      value: { kind: 'flag' as const, amount: 1 },
      display: HOSTILE,
    }
    await store.records.save(
      ['', 'x'].map((more) => ({
        kind: 'data-point' as const,
        passport: { id: 6 },
        point: { ...point, account: HOSTILE + more },
      })),
      { now: NOON, restore: false },
    )
    await using server = serveExplorer(store)
    // Structured data in the head is not markup.
    const text = (await server.look('/passports/6')).text.replace(
      /<script type="application[^<]*<\/script>/,
      '',
    )
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toMatch(/<script>|<img src|onerror='|ugc"|href="(?:javascript|data:text|\/\/)/)
  })

  test('an invisible name is replaced by the id', async () => {
    await using server = await servePeople([named(8, ' \u200b\u2800\u3164 ')])
    const { text } = await server.look('/passports/8')
    expect(text).toContain('<h1 class="clamp" dir="auto">Passport 8</h1>')
    expect(text).not.toContain('<span class="soft">Passport 8</span>')
  })

  test('commands contain the origin only if it is well-formed', async () => {
    await using store = await openTestStore('sqlite', [mira])
    await using server = serveExplorer(store)
    const read = async (host: string) =>
      (await server.look('/passports/12', { headers: { Host: host } })).text
    const plain = await read('passports.example:8080')
    expect(plain).toContain(
      'curl &#x27;http://passports.example:8080/api/v3/passports/12?include=credentials&#x27;',
    )
    expect(plain).toContain(
      '[![Passport 12](http://passports.example:8080/badge/12.svg)](http://passports.example:8080/passports/12)',
    )
    expect(await read('[::1]:8080')).toContain('http://[::1]:8080/api')
    for (const host of ["a'$(id)'", 'a;id', 'a&b', 'a`b`', 'a)(b', 'a"b']) {
      expect([host, (await read(host)).includes('curl ')]).toEqual([host, false])
    }
    await using known = serveExplorer(store, { publicUrl: 'https://passports.example' })
    expect((await known.look('/passports/12', { headers: { Host: "a'b" } })).text).toContain(
      'curl &#x27;https://passports.example/api/v3/passports/12?include=credentials&#x27;',
    )
  })
})
