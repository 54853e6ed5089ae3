import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CheckResult } from '../../../../src/core/cli/check-result.ts'
import { checkSpace } from '../../../../src/features/doctor/check-files.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { withEngine, withEveryEngine } from '../../../support/store/engines.ts'
import { apiKey, NOON, named, PEOPLE } from '../../../support/store/records.ts'
import { calm, examine } from '../../support/doctor.ts'

const DAY = 24 * 60 * 60 * 1000
withEveryEngine('doctor', (makeDatabase) => {
  test('a healthy database has no problems or warnings', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const { code, status, amiss, err, text } = await examine(here, {}, '--full')
    expect({ code, status, amiss, err }).toEqual({
      code: 0,
      status: 'ok',
      amiss: [],
      err: '0 problems, 0 warnings.\n',
    })
    expect(text('passports')).toBe('The database holds 4 passports, including merged ones.')
    expect((await here.call('doctor')).out).toMatch(/^ok +schema +It is \d+, as this program needs\.$/m)
  })

  test('doctor warns of stale scores if no scorer runs, of expiring keys, unknown tiers and secret keys in browsers', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    await here.look(async (store) => {
      for (const key of [
        apiKey('soon', { expiresAt: Date.now() + 3 * DAY }),
        apiKey('strange', { tier: 'partner' }),
        apiKey('copied', { isSeenInBrowser: true }),
        apiKey('ended', { isSeenInBrowser: true, revokedAt: 1 }),
        apiKey('over', { expiresAt: NOON + 1, tier: 'gone' }),
      ])
        await store.keys.create(key)
    })
    const { code, status, amiss, text } = await examine(here)
    expect({ code, status, amiss }).toEqual({
      code: 0,
      status: 'warning',
      amiss: ['warning: scores', 'warning: keys', 'warning: keys', 'warning: keys'],
    })
    expect(text('scores')).toContain('1 stale score, and no scorer is running')
    expect(text('keys')).toContain('The key strange (strange) has the tier partner, which TIERS does not')
    expect(text('keys')).toContain('The key soon (soon) expires 20')
    expect(text('keys')).toContain(
      'The key copied (copied) was sent from a web page, whose visitors can copy',
    )
  })

  test('doctor creates no tables in a new database', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    const first = await examine(here)
    expect(first.amiss.length).toBe(1)
    expect(await examine(here)).toMatchObject({ amiss: first.amiss })
  })
})

withEngine('sqlite', 'doctor', (makeDatabase) => {
  const snapshot = (path: string) =>
    readdirSync(dirname(path)).map((name) => [
      name,
      statSync(join(dirname(path), name)).mtimeMs,
      readFileSync(join(dirname(path), name)).toString('hex'),
    ])

  test('doctor neither changes nor creates files, whether the database is in use, unused or missing', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const before = snapshot(here.database)
    expect(before.length).toBe(1)
    await examine(here, {}, '--full')
    expect(snapshot(here.database)).toEqual(before)
    const missing = await examine(here, { DATABASE_URL: `sqlite:${here.cwd}/nowhere/at/all.db` })
    expect(missing).toMatchObject({ code: 1, amiss: ['problem: database'] })
    expect(existsSync(here.path('nowhere'))).toBe(false)
    await using _open = await here.open()
    const used = snapshot(here.database).map(([name]) => name)
    expect(await examine(here)).toMatchObject({ code: 0 })
    expect(snapshot(here.database).map(([name]) => name)).toEqual(used)
  })

  test('doctor and serve report what is wrong with the folder of SITE_FONTS', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const SITE_FONTS = here.path('fonts')
    const reason = `got "${SITE_FONTS}": ENOENT: no such file or directory`
    const { amiss, text } = await examine(here, { SITE_FONTS })
    expect([amiss, text('fonts')]).toEqual([['problem: fonts'], expect.stringContaining(reason)])
    const served = await callHere(['serve'], { env: { ...here.env, SITE_FONTS } })
    expect(served).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
    mkdirSync(SITE_FONTS)
    writeFileSync(join(SITE_FONTS, 'NotoSansThai.ttf'), 'font')
    expect((await examine(here, { SITE_FONTS })).text('fonts')).toBe(`1 font in ${SITE_FONTS} can be read.`)
  })

  test('doctor reports that a scorer is running', async () => {
    await using here = await workplace(makeDatabase, {
      records: Array.from({ length: 3000 }, (_, at) => ({ ...named(at + 1, `P ${at}`, 1), stale: true })),
    })
    await using store = await here.open()
    let isOver = false
    const scoring = (async () => {
      while (!isOver) {
        const scores = { total: 1, activity: 0, identity: 0, skills: 0 }
        await store.scoring.work(1, {
          rules: 'r',
          now: NOON,
          score: () => ({ scores, human: false, credentials: [] }),
          onFailure: () => undefined,
        })
        await new Promise(setImmediate)
      }
    })()
    const { text } = await examine(here)
    isOver = true
    await scoring
    expect(text('scores')).toMatch(/stale scores; a scorer is running\.$/)
  })

  test('doctor reports damage as a problem, and with --full also an index that differs from its table', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const whole = readFileSync(here.database)
    const at = whole.indexOf('lens:ada')
    writeFileSync(here.database, Buffer.from(whole).fill('lens:adb', at, at + 8))
    expect(await examine(here)).toMatchObject({ code: 0 })
    expect(await examine(here, {}, '--full')).toMatchObject({ code: 1, amiss: ['problem: integrity'] })
    writeFileSync(here.database, whole.subarray(0, 5 * 4096))
    const { code, amiss } = await examine(here)
    expect({ code, last: amiss.at(-1) }).toEqual({
      code: 1,
      last: expect.stringMatching(/^problem: (integrity|database)$/),
    })
    writeFileSync(here.database, 'x'.repeat(5000))
    expect(await examine(here)).toMatchObject({ code: 1, amiss: ['problem: database'] })
  })

  test('doctor warns of an older schema, and reports a very old or newer schema or a foreign database as a problem', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const change = (sql: string) => {
      using database = new Database(here.database)
      database.run(sql)
    }
    change('pragma user_version = 14')
    expect(await examine(here)).toMatchObject({ code: 0, amiss: ['warning: schema'] })
    change('pragma user_version = 4')
    expect((await examine(here)).text('database')).toContain('open it once with version 0.2.1')
    change('pragma user_version = 99')
    expect((await examine(here)).text('database')).toContain('a newer passportd')
    change('pragma application_id = 7')
    expect((await examine(here)).text('database')).toStartWith(
      `${here.database} is a database of another program`,
    )
  })

  test.each<[CheckResult['level'], free: number, database: number, wal: number]>([
    ['ok', 180e6, 24e6, 4e6],
    ['warning', 20e6, 24e6, 4e6],
    ['problem', 7e6, 24e6, 4e6],
    ['warning', 15e9, 100e9, 0],
    ['problem', 9e9, 100e9, 0],
    ['problem', 1e6, 4096, 0],
  ])(
    'doctor compares the free space with the size of the database and its WAL: %s',
    (level, free, database, wal) => {
      expect(checkSpace('data', free, database, wal).level).toBe(level)
    },
  )

  test('doctor warns of files that other users can read', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    chmodSync(here.database, 0o644)
    const { code, amiss, text } = await examine(here)
    expect({ code, amiss }).toEqual({ code: 0, amiss: ['warning: rights'] })
    expect(text('rights')).toContain(`chmod 600 ${here.database}`)
  })

  test('doctor reports invalid settings as problems, and warns of misspelt settings', async () => {
    await using here = await workplace(makeDatabase, { records: calm })
    const wrong = await examine(here, { TIERS: 'many', PORT: 'x' })
    expect(wrong).toMatchObject({
      code: 1,
      amiss: ['problem: settings', 'problem: settings', 'warning: database'],
    })
    const names = { REQUIRE_APIKEY: 'true', mirror_key: 'x' }
    const misspelt = await examine(here, names)
    expect(misspelt).toMatchObject({ code: 0, amiss: Array(2).fill('warning: settings') })
    expect(misspelt.text('settings')).toContain(
      'REQUIRE_APIKEY is not a setting: did you mean REQUIRE_API_KEY?',
    )
  })
})
