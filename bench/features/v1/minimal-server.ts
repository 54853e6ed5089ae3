/**
 * The smallest program that sends the same bodies from the same file, without keys, limits, usage, metrics or error handling.
 * Environment: DATABASE is the file, PORT the port, HEADERS the constant response headers as JSON.
 */
import { Database } from 'bun:sqlite'
import { type PassportRow, presentItem, presentPassport } from '../../../src/features/v1/statements.ts'

const { DATABASE, PORT = '0', HEADERS = '{}' } = process.env
const PAGE = 25
const TRANSACTION_MILLISECONDS = 5

const database = new Database(DATABASE, { readonly: true })
database.run('pragma mmap_size = 2147483648')
database.run('pragma cache_size = -16384')

type Body = { body: string }

const findById = database.query<PassportRow, [number]>('select *, 0 as merged from passports where id = ?')
const findByWallet = database.query<PassportRow, [string]>(
  'select passports.*, 0 as merged from wallets join passports on id = passport_id where address = ?',
)
const findCredentials = database.query<Body, [number]>(
  `select '{"passport_credentials":' || shown || '}' as body from credentials where passport_id = ?`,
)
const ranking = Float64Array.from(
  database
    .query<{ id: number }, []>('select passport_id as id from listing order by score desc, passport_id')
    .iterate(),
  ({ id }) => id,
)

const begin = database.query('begin')
const rollback = database.query('rollback')
let isOpen = false

/** Begins a read transaction that all reads of the next few milliseconds share. */
function shareTransaction(): void {
  if (isOpen) return
  begin.run()
  isOpen = true
  setTimeout(() => {
    rollback.run()
    isOpen = false
  }, TRANSACTION_MILLISECONDS)
}

const init = { headers: JSON.parse(HEADERS) }
const send = (body: string | undefined) =>
  body ? new Response(body, init) : new Response(null, { status: 404, ...init })
const sendPassport = (row: PassportRow | null) =>
  send(row ? `{"passport":${presentPassport(row)}}` : undefined)

const parameterOf = ({ url }: Request, name: string) =>
  Number(new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(name))

function renderPage(page: number): string {
  const ids = ranking.subarray((page - 1) * PAGE, page * PAGE)
  const items = Array.from(ids, (id) => presentItem(findById.get(id) as PassportRow))
  const last = Math.ceil(ranking.length / PAGE)
  return `{"passports":[${items.join(',')}],"pagination":{"current_page":${page},"last_page":${last},"total":${ranking.length}}}`
}

Bun.serve({
  hostname: '127.0.0.1',
  port: PORT,
  development: false,
  routes: {
    '/api/v1/passports/:id': ({ params: { id } }) => {
      shareTransaction()
      return sendPassport(id.startsWith('0x') ? findByWallet.get(id) : findById.get(Number(id)))
    },
    '/api/v1/passport_credentials': (request) => {
      shareTransaction()
      return send(findCredentials.get(parameterOf(request, 'passport_id'))?.body)
    },
    '/api/v1/passports': (request) => {
      shareTransaction()
      return new Response(renderPage(parameterOf(request, 'page')), init)
    },
  },
})
