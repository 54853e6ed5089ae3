import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres, startReplica, testDatabase } from './postgres.ts'
import { until } from './processes.ts'

const connect = ({ url }: { url: string }) => new SQL(url, { max: 1 })

test('a server of version 18 wants its password', async () => {
  await using server = await startPostgres()
  await using sql = connect(server)
  const [row] = await sql`select version()`
  expect(row.version).toStartWith('PostgreSQL 18')
  await using stranger = new SQL(server.url.replace(/:[^:@]*@/, ':wrong@'), { max: 1 })
  await expect(stranger`select 1`.execute()).rejects.toThrow('password authentication failed')
})

test('a server keeps its data when it is stopped, killed and started again', async () => {
  let server: PostgresServer
  {
    await using started = await startPostgres()
    server = started
    const { url, port } = server
    await keep(server, 'first')
    await server.stop()
    await expect(keep(server, 'lost')).rejects.toThrow()
    await server.start()
    await keep(server, 'second')
    await server.kill()
    await expect(keep(server, 'lost')).rejects.toThrow()
    await server.start()
    await using sql = connect(server)
    expect([...(await sql`select name from kept order by name`)]).toEqual([
      { name: 'first' },
      { name: 'second' },
    ])
    expect(server).toMatchObject({ url, port })
  }
  expect(existsSync(server.data)).toBe(false)
})

async function keep(server: PostgresServer, name: string) {
  await using sql = connect(server)
  await sql`create table if not exists kept (name text)`
  await sql`insert into kept values (${name})`
}

test('a frozen server answers nothing, and everything once it is thawed', async () => {
  await using server = await startPostgres()
  await using sql = connect(server)
  await sql`select 1`
  server.freeze()
  const old = sql`select 2 as answer`.execute()
  await using late = connect(server)
  const young = late`select 3 as answer`.execute()
  expect(await Promise.race([old, young, Bun.sleep(100).then(() => 'nothing')])).toBe('nothing')
  server.thaw()
  expect((await old)[0].answer).toBe(2)
  expect((await young)[0].answer).toBe(3)
})

test('a replica shows what the primary has written, and takes nothing itself', async () => {
  await using primary = await startPostgres({
    settings: { synchronous_commit: 'local', synchronous_standby_names: '*' },
  })
  await using writer = connect(primary)
  await writer`create table notes (text text)`
  await writer`insert into notes values ('before')`
  await using replica = await startReplica(primary)
  await using reader = connect(replica)
  expect([...(await reader`select text from notes`)]).toEqual([{ text: 'before' }])
  await writer.begin(async (transaction) => {
    await transaction`set local synchronous_commit = remote_apply`
    await transaction`insert into notes values ('after')`
  })
  expect([...(await reader`select text from notes`)]).toEqual([{ text: 'before' }, { text: 'after' }])
  await expect(reader`insert into notes values ('here')`.execute()).rejects.toThrow('read-only transaction')
})

test('a test database is empty, no other has its tables, and it is gone afterwards', async () => {
  await using other = await testDatabase()
  await using witness = connect(other)
  let url: string
  {
    await using database = await testDatabase()
    url = database.url
    await using sql = connect(database)
    const tables = 'select from pg_class where relnamespace = $1::regnamespace'
    expect(await sql.unsafe(tables, ['public'])).toHaveLength(0)
    await sql`create table mine (id int)`
    expect(await sql.unsafe(tables, ['public'])).toHaveLength(1)
    expect(await witness.unsafe(tables, ['public'])).toHaveLength(0)
  }
  // It goes while nobody waits for it: one who is quick may still come in.
  await until(async () => (await greet(url)).includes('does not exist'))
})

/** What a server says to one who connects and asks; nothing where all is well. */
async function greet(url: string): Promise<string> {
  await using sql = connect({ url })
  return sql`select 1`.execute().then(
    () => '',
    (error: Error) => error.message,
  )
}
