import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { workplace } from '../../support/cli-sandbox.ts'
import { until } from '../../support/processes.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../support/store/json-lines.ts'

const BATCH = 500
/** With at most one credential each, which keeps the test short. */
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 1) ?? [] }))

withEveryEngine('import', (makeDatabase) => {
  test('a server on the same database responds during an import, and serves complete batches only', async () => {
    const files = { 'first.jsonl': linesOf(PEOPLE.slice(0, BATCH)), 'many.jsonl': linesOf(PEOPLE, 1) }
    await using here = await workplace(makeDatabase, { files, bare: true })
    await here.call('import', join(here.cwd, 'first.jsonl'))
    await using server = await here.listen({ TIERS: 'anonymous=unlimited' })
    const imported = here.run('import', 'many.jsonl')
    let isOver = false
    void imported.then(() => {
      isOver = true
    })
    const totals: number[] = []
    await until(async () => {
      const paths = [
        'passports?per_page=1',
        'passports?keyword=a',
        'passports/7',
        'passport_credentials?passport_id=7',
      ]
      const answers = await Promise.all(paths.map((path) => fetch(`${server.url}/api/v1/${path}`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const [list] = await Promise.all(answers.map((answer) => answer.json()))
      totals.push(list.pagination.total)
      return isOver
    })
    expect(await imported).toMatchObject({ code: 0 })
    expect(totals.filter((total) => total % BATCH !== 0)).toEqual([])
    expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    // On PostgreSQL a server polls for changes several times a second.
    await until(async () => (await getTotal(server.url)) === 1500)
  })
})

async function getTotal(url: string): Promise<number> {
  const answer = await (await fetch(`${url}/api/v1/passports?per_page=1`)).json()
  return (answer as { pagination: { total: number } }).pagination.total
}

/** Both files have the same people. Odd people claim each other's wallets, which go to the first file. */
function claims(file: string, count: number): string {
  const walletOf = (id: number) => {
    const first = id - (id % BATCH)
    return file === 'a' ? id : first + ((id + 2) % BATCH)
  }
  return toLines(
    ...Array.from({ length: count }, (_, id) => ({
      passport_id: id,
      ...(id % 2 === 1 && { main_wallet: `0x${walletOf(id)}` }),
      passport_profile: { bio: file },
    })),
  )
}

withEveryEngine('two imports at once', (makeDatabase) => {
  test.each([2 * BATCH])('two imports of %i lines both complete, one batch at a time', async (count) => {
    await using here = await workplace(makeDatabase, {
      files: { 'a.jsonl': claims('a', count), 'b.jsonl': claims('b', count) },
    })
    const reports = await Promise.all([here.run('import', 'a.jsonl'), here.run('import', 'b.jsonl')])
    for (const { err } of reports)
      expect(err).toMatch(/lines: [\d,]+ added, [\d,]+ changed, 0 unchanged(, [\d,]+ refused)?\.\n/)
    const records = await here.look((store) => store.records.list(-1, 10_000))
    expect(records).toHaveLength(count)
    for (let at = 0; at < count; at += BATCH) {
      const filesOf = (parity: number) =>
        new Set(
          records
            .slice(at, at + BATCH)
            .filter(({ id }) => id % 2 === parity)
            .map(({ profile }) => profile.bio),
        )
      // The later import wins the even people, the earlier one the odd people.
      expect(['a b', 'b a']).toContain([filesOf(0), filesOf(1)].map((files) => [...files].join()).join(' '))
    }
  })
})
