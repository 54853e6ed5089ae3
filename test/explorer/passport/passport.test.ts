import { expect, test } from 'bun:test'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { Passport } from '../../../src/domain/passport.ts'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../support/explorer/sample-passport.ts'
import { shareServer } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { ADA_WALLET, record } from '../../support/store/records.ts'

onEngine('sqlite', 'the passport page', (open) => {
  const server = shareServer(() => open([mira, ...OTHERS]), serveExplorer)

  test('shows the profile, the score with its parts, the rank, and every credential', async () => {
    const { status, headers, text } = await server.look('/passports/12')
    expect(status).toBe(200)
    expect(headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; script-src 'self'")
    expect(text).not.toMatch(
      /<script>|<style|style=|onclick|<img(?! class="(badge|card)" src="\/\1\/12.svg")/,
    )
    const words = readable(text)
    for (const part of [
      'Mira Kettlewood',
      'human Passport 12 Lisbon',
      'Builds kites.',
      'builder zk',
      'Passport score 1,042.5 Outstanding',
      'No. 1 in Activity Score by part',
      'Activity 1,020 No. 1 Identity 12.25 No. 1 Skills 10.25 No. 1',
      '1,020 Activity + 12.25 Identity + 10.25 Skills = 1,042.5',
      'Identity 12.25 from 2 credentials',
      'Alpha FID: 7 4 of 8 2025-12-30',
      '1 credential without points',
      'Gamma 0 of 5',
      'Crafts not part of the score Zeta 3 of 4',
      'What would raise the score Epsilon 1,020 of 2,000 up to 980 more Delta 10.25 of 40 up to 29.75 more',
      'Among 5 people',
      '0xada0…0001 main',
      'Lens mira on Lens example.com Mira K. 1.2k followers 12 following Notes',
    ]) {
      expect(words).toContain(part)
    }
    expect(words).not.toContain('is being recalculated')
    const reasons = readable((await server.look('/passports/12/score')).text)
    expect(reasons).toContain('Score calculation of Mira Kettlewood')
    expect(reasons).toContain('The imported record gives all points:')
    expect(reasons).not.toContain('By rule set')
    expect(reasons).toContain('Alpha FID: 7 , points from the imported record 4')
    expect(reasons).not.toContain('Given by the imported record')
    expect(reasons).toContain('1,020 Activity + 12.25 Identity + 10.25 Skills = 1,042.5')
    expect(reasons).not.toContain('The stored score')
    expect(words.indexOf('Beta')).toBeLessThan(words.indexOf('Alpha'))
    expect(text).toContain(
      '<a href="https://example.com/lens/mira" rel="nofollow noopener noreferrer ugc"><bdi>mira</bdi><span class="unseen"> on Lens</span></a>',
    )
  })

  test('is found by any wallet, and by the id of a merged passport', async () => {
    await using store = await open([mira, ...OTHERS])
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/12')
    expect((await server.look(`/passports/${ADA_WALLET.toUpperCase().replace('0X', '0x')}`)).text).toBe(text)
    expect((await server.look('/passports/DemoSo1ana%2FWith%3FOdd%23Letters')).text).toBe(text)
    await store.passports.merge(3, 12)
    const merged = readable((await server.look('/passports/3')).text)
    expect(merged).toContain('Mira Kettlewood')
    expect(merged).toContain('Passport 3 was merged into this one.')
  })

  test('an unknown or malformed reference gets a 404 page', async () => {
    for (const path of [
      '/passports/99',
      '/passports/0xnobody',
      '/passports/%E0%A4',
      '/passports/9007199254740993',
    ]) {
      const { status, headers } = await server.look(path)
      expect([path, status]).toEqual([path, 404])
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    }
    expect(server.errors).toEqual([])
  })

  test('shows a recalculation until it is done', async () => {
    await using store = await open([mira])
    await addDataPoint(store, 900)
    await using server = serveExplorer(store)
    const before = await server.look('/passports/12')
    expect(before.text).toContain('id="recalculating"')
    expect(before.text).toContain('<noscript>Reload the page')
    await rescore(store)
    const after = await server.look('/passports/12', {
      headers: { 'If-None-Match': before.headers.get('ETag') ?? '' },
    })
    expect(after.status).toBe(200)
    expect(after.text).not.toContain('id="recalculating"')
    expect(readable(after.text)).toContain('Passport score 1,057.5')
    expect(readable((await server.look('/passports/12/score')).text)).toContain(
      'GitHub √900 × 0.5 = 15, at most 40 15',
    )
  })

  test('shows a passport without any data', async () => {
    await using store = await open([record(5)])
    await using server = serveExplorer(store)
    const words = readable((await server.look('/passports/5')).text)
    for (const part of [
      'Passport 5',
      'Passport score 0 Beginner 30 points to Regular',
      'No credentials yet.',
    ]) {
      expect(words).toContain(part)
    }
    expect(words).not.toMatch(/human|Not verified|Top|1st|lower/)
  })

  test('shows a command for v3, with a key if one is required, and links to V1 until it is removed', async () => {
    await using store = await open([mira])
    let state: 'open' | 'key required' | 'removed' = 'open'
    await using server = serveExplorer(store, { api: () => state })
    const lines = async () => {
      const { text } = await server.look('/passports/12')
      const curl = /curl [^<]*\/api\/v3\/passports\/12\?include=credentials&#x27;(?=<)/.exec(text)?.[0] ?? ''
      return [curl.slice(0, 18), text.includes('href="/api/v1/passports/12"')]
    }
    expect(await lines()).toEqual(['curl &#x27;http://', true])
    state = 'key required'
    expect(await lines()).toEqual(['curl -H &quot;X-AP', true])
    state = 'removed'
    expect(await lines()).toEqual(['curl -H &quot;X-AP', false])
    expect(readable((await server.look('/passports/12')).text)).toContain(
      'The V1 API of this service was removed',
    )
  })

  test('explains a difference between the rules and the stored score', async () => {
    await using store = await open([mira])
    const scores = { total: 1000, activity: 1000, identity: 0, skills: 0 }
    const passport = (await store.passports.find({ id: 12 })) as Passport
    const explanation = { passport, scores, lines: [], rules: 'other', caps: { Activity: 1000 } }
    await using server = serveExplorer(store, { explain: () => explanation })
    expect(readable((await server.look('/passports/12/score')).text)).toContain(
      'The result is 1,000. The stored score, 1,042.5, comes from',
    )
  })

  test('works while the explanation is unavailable', async () => {
    await using store = await open([mira])
    const explain = () => Promise.reject(new ServiceError('unavailable', 'The primary is unavailable.'))
    await using server = serveExplorer(store, { explain })
    expect((await server.look('/passports/12')).status).toBe(200)
    expect((await server.look('/passports/12/score')).status).toBe(503)
    await using working = serveExplorer(store)
    expect((await working.look('/passports/4711/score')).status).toBe(404)
    expect((await server.look('/passports/12/scores')).status).toBe(404)
  })
})
