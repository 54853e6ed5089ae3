import { Database } from 'bun:sqlite'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { foldName } from '../src/domain/name.ts'
import { hashOf } from '../src/store/hash.ts'
import { createDocumentFiles } from '../src/store/sqlite/document-files.ts'
import { createNames } from '../src/store/sqlite/names.ts'
import { createWalletKeys } from '../src/store/sqlite/wallet-keys.ts'

/** A set of which larger ones are made. */
export const MILLION = 1_000_000

/**
 * Makes a set of several million of one with a million, by giving each of its people further ids, wallets and names: to take so many
 * records in would take an hour. They have no credentials, which with their documents would take 60 GB more: no read
 * of a set like this is about them.
 */
export function multiply(source: string, path: string, times: number): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  copyFileSync(source, path)
  const database = new Database(path)
  for (const pragma of [
    'journal_mode = delete',
    'journal_mode = off',
    'synchronous = off',
    'cache_size = -400000',
  ])
    database.run(`pragma ${pragma}`)
  const triggers = database
    .query<{ name: string; sql: string }, []>(`select name, sql from sqlite_schema where type = 'trigger'`)
    .all()
  for (const { name } of triggers) database.run(`drop trigger ${name}`)
  const bodies = copyDocuments(database, source, path)
  for (let turn = 1; turn < times; turn++) {
    database.transaction(() => {
      copyRows(database, turn * MILLION)
      copyNames(database, turn * MILLION)
      bodies.copy(turn * MILLION)
    })()
    console.error(`${turn + 1} million passports are in`)
  }
  bodies.end()
  for (const { sql } of triggers) database.run(sql)
  database.run('update ranking set version = version + 1')
  database.run('pragma journal_mode = wal')
  database.close()
}

/** As `many-people.ts` makes them of an id. */
const wallet = (id: string) => `printf('0xde30%034x', ${id})`

function copyRows(database: Database, offset: number): void {
  const columnsOf = (table: string) =>
    database
      .query<{ name: string }, []>(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
  const copy = (table: string, id: string, changes: Record<string, string>, order: string) => {
    const columns = columnsOf(table)
    const values = columns.map((column) =>
      column === id ? `${id} + ${offset}` : (changes[column] ?? column),
    )
    database.run(
      `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table} where ${id} <= ${MILLION} order by ${order}`,
    )
  }
  const moved = (column: string, id: string) =>
    `replace(${column}, ${wallet(id)}, ${wallet(`${id} + ${offset}`)})`
  copy(
    'passports',
    'id',
    {
      main_wallet: moved('main_wallet', 'id'),
      verified_wallets: moved('verified_wallets', 'id'),
      display_name: `replace(display_name, ' ' || id, ' ' || (id + ${offset}))`,
    },
    'id',
  )
  copy('wallets', 'passport_id', { address: moved('address', 'passport_id') }, 'address')
}

function copyNames(database: Database, offset: number): void {
  const names = createNames(database)
  const list = database.query<{ id: number; display_name: string }, []>(
    `select id, display_name from passports where id > ${offset} and id <= ${offset + MILLION}`,
  )
  for (const { id, display_name } of list.iterate()) names.insert(id, foldName(display_name))
}

const STEP = 5000

function copyDocuments(database: Database, source: string, path: string) {
  type State = { generation: string; passports_end: number }
  const { generation, passports_end } = database
    .query<State, []>('select * from document_state')
    .get() as State
  const [from, to] = [createDocumentFiles(source), createDocumentFiles(path)]
  copyFileSync(from.pathOf(generation, 'passports'), to.pathOf(generation, 'passports'))
  writeFileSync(to.pathOf(generation, 'credentials'), '', { mode: 0o600 })
  database.run('delete from credentials')
  database.run('delete from credential_documents')
  database.run('update document_state set credentials_end = 0')
  const list = database.query<{ passport_id: number; place: number; hash: number }, [number]>(
    `select passport_id, place, hash from passport_documents where passport_id > ? and passport_id <= ${MILLION} order by passport_id limit ${STEP}`,
  )
  const insert = database.query('insert into passport_documents (passport_id, place, hash) values (?, ?, ?)')
  const opened = from.open(generation, () => {
    throw new Error('The documents are damaged.')
  })
  const walletKeys = createWalletKeys(database)
  let end = passports_end

  function move(text: string, id: number, offset: number): Buffer {
    const hex = (number: number) => `0xde30${number.toString(16).padStart(34, '0')}`
    return Buffer.from(
      text
        .replaceAll(hex(id), hex(id + offset))
        .replace(`"passport_id":${id},`, `"passport_id":${id + offset},`)
        .replace(/("display_name":"[^"]* )\d+"/, `$1${id + offset}"`),
    )
  }

  return {
    copy(offset: number): void {
      for (let after = 0; ; ) {
        const rows = list.all(after)
        if (rows.length === 0) break
        const moved = rows.map(({ passport_id, ...entry }) => {
          const document = opened.find('passports', entry)
          const bytes = Buffer.alloc(document.length)
          document.read(bytes, 0)
          return move(bytes.toString(), passport_id, offset)
        })
        const { places, end: next } = to.append(generation, 'passports', end, moved)
        for (const [at, { passport_id }] of rows.entries()) {
          insert.run(passport_id + offset, places[at] as number, hashOf(moved[at] as Buffer))
          walletKeys.add(passport_id + offset, generation)
        }
        end = next
        after = (rows.at(-1) as (typeof rows)[number]).passport_id
      }
    },
    end(): void {
      database.run(`update document_state set passports_end = ${end}, places_mark = 0, placed_to = -1`)
      opened.close()
    },
  }
}
