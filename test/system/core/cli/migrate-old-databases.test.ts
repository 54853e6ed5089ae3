import { expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SCHEMA } from '../../../../src/core/store/schema.ts'
import { killWhen } from '../../../../stress/support/kill-process.ts'
import { DATABASE_COMMANDS } from '../../../support/cli.ts'
import { readLines } from '../../../support/log-lines.ts'
import { dumpKept, dumpOf, OLD_SCHEMAS, oldPlace } from '../../../support/migrations/old-databases.ts'
import { PROGRAM } from '../../../support/program/commands.ts'
import { withEveryEngine } from '../../../support/store/engines.ts'
import { execute, setSchema } from '../../../support/store/execute-sql.ts'

withEveryEngine('an older schema', (makeDatabase, engine) => {
  test('every command refuses a database with an older schema until "migrate" has migrated it', async () => {
    await using here = await oldPlace(makeDatabase, engine)
    const url = here.env.DATABASE_URL
    const [, old] = OLD_SCHEMAS[engine]
    const before = await dumpOf(url)
    const sentence = `has schema ${old}, but this version needs ${SCHEMA}: make a backup, then run "${PROGRAM} migrate".`
    const commands = [
      ...DATABASE_COMMANDS,
      ['migrate', '--rebuild'],
      ['copy', url, 'sqlite:/nowhere/copy.db'],
    ]
    for (const args of commands) await here.refuses(sentence, ...args)
    expect(await dumpOf(url)).toBe(before)
    expect((await here.call('doctor')).out).toContain(`run "${PROGRAM} migrate"`)
    expect(await here.call('migrate')).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        new RegExp(
          `^Migrating .* from schema ${old} to ${SCHEMA}: .*\\n.* has schema ${SCHEMA} now; it was ${old}\\.`,
        ),
      ),
    })
    expect((await here.call('migrate')).err).toContain(`has schema ${SCHEMA} already`)
    expect((await here.call('rules', 'list')).code).toBe(0)
    // The old tables are kept unchanged.
    expect(await dumpKept(url)).toBe(before)
  })

  test('"serve" migrates a database, says so, and serves it', async () => {
    await using here = await oldPlace(makeDatabase, engine)
    await using server = await here.serve()
    expect((await fetch(`${server.url}/api/v3/passports/50`)).status).toBe(200)
    server.child.kill('SIGTERM')
    expect(await new Response(server.child.stderr).text()).toContain(`to ${SCHEMA}: a large database takes`)
  })

  test('a migration that was killed at any moment begins again, and ends with the same database', async () => {
    await using undisturbed = await oldPlace(makeDatabase, engine, 5)
    await undisturbed.call('migrate')
    const expected = await dumpOf(undisturbed.env.DATABASE_URL)
    for (const moment of ['begun', 'converted', 'kept'] as const) {
      await using here = await oldPlace(makeDatabase, engine, 5)
      const child = here.start('migrate')
      await (engine === 'sqlite' ? killAt[moment](child, here.database) : killAfterNotice(child, moment))
      expect(await here.call('migrate')).toMatchObject({ code: 0 })
      expect(await dumpOf(here.env.DATABASE_URL)).toBe(expected)
      if (engine === 'sqlite') expect(readdirSync(dirname(here.database)).sort()).toEqual(KEPT_FILES)
    }
  })

  test('the derived tables are filled again by "migrate --rebuild"', async () => {
    await using here = await oldPlace(makeDatabase, engine)
    const url = here.env.DATABASE_URL
    await here.call('migrate')
    const expected = await dumpOf(url)
    await execute(url, 'delete from listing; delete from handles where passport_id < 50')
    await execute(url, "insert into handles values ('lens:nobody', 4711)")
    expect(await here.call('migrate', '--rebuild')).toMatchObject({
      code: 0,
      err: expect.stringContaining('are filled again ('),
    })
    expect(await dumpOf(url)).toBe(expected)
  })

  test('a database of a schema that no release had is refused', async () => {
    await using here = await oldPlace(makeDatabase, engine)
    await execute(here.env.DATABASE_URL, setSchema(engine, 18))
    await here.refuses('has schema 18, which no release had: restore a backup', 'migrate')
  })
})

const KEPT_FILES = ['test.db', 'test.db.before-22']

/** Kills a migration when it has begun to write, when it has written half of the file, and when the old file has two names. */
const killAt = {
  begun: (child: Bun.Subprocess, path: string) => killWhen(child, () => existsSync(`${path}.migrating`)),
  converted: (child: Bun.Subprocess, path: string) =>
    killWhen(child, () => (statSync(`${path}.migrating`, { throwIfNoEntry: false })?.size ?? 0) > 0),
  kept: (child: Bun.Subprocess, path: string) => killWhen(child, () => existsSync(`${path}.before-22`)),
}

async function killAfterNotice(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>, moment: keyof typeof killAt) {
  const log = readLines(child.stderr)
  const isTime = () => log.some((line) => line.includes(moment === 'kept' ? 'now; it was' : 'Migrating'))
  await killWhen(child, isTime)
}
