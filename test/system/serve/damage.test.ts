import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createDamage, isDamaged, noteDamage, withDamage } from '../../../src/core/store/damage.ts'
import { findDamage } from '../../../src/core/store/open.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { scrape } from '../../support/http/prometheus.ts'
import { readLines } from '../../support/log-lines.ts'
import { withEngine } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const PEOPLE = Array.from({ length: 40 }, (_, id) =>
  record(id, { profile: { bio: `biography ${id} `.repeat(40) } }),
)
const LAST = PEOPLE.length - 1

/** Overwrites the page of `passports` that holds the last passport. */
function damageFile(path: string): void {
  using database = new Database(path)
  database.run('pragma wal_checkpoint(truncate)')
  const size = (database.query('pragma page_size').get() as { page_size: number }).page_size
  const contents = readFileSync(path)
  const text = `biography ${LAST} `
  const page = Math.floor(contents.indexOf(text) / size)
  expect(page).toBeGreaterThan(0)
  contents.fill(0xff, page * size, page * size + 100)
  writeFileSync(path, contents)
}

withEngine('sqlite', 'a damaged database file', (makeDatabase) => {
  test('the check after the start reports a damaged database file in /ready, the metrics and the log', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    expect(findDamage({ engine: 'sqlite', path: here.database })).toEqual([])
    damageFile(here.database)
    expect(findDamage({ engine: 'sqlite', path: here.database })).not.toEqual([])
    await using service = await here.serve([], { METRICS_PORT: '0' })
    const log = readLines(service.child.stderr)
    await until(async () => (await scrape(service)).value('passportd_store_up{part="integrity"}') === 0)
    const ready = await fetch(`${service.url}/ready`)
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { code: 'not_ready', error: 'The database file is damaged: the log has the details.' },
    ])
    await until(() => log.some((line) => line.includes('The database file is damaged: ')))
    // Requests that do not read the damaged page succeed.
    expect((await fetch(`${service.url}/api/v3/passports/0`)).status).toBe(200)
  })

  test('damage is reported as soon as a request reads the damaged page', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    damageFile(here.database)
    const damage = createDamage()
    const onError = (error: unknown) => noteDamage(damage, error)
    await using node = await here.listen({}, { adapt: (store) => withDamage(store, damage), onError })
    const status = async (path: string) => (await fetch(`${node.url}${path}`)).status
    expect([await status('/ready'), isDamaged(damage)]).toEqual([200, false])
    expect(await status(`/api/v3/passports/${LAST}`)).toBe(503)
    expect(node.lines.join()).toContain('is damaged or not a database: restore it from a backup')
    expect([await status('/ready'), isDamaged(damage)]).toEqual([503, true])
  })
})
