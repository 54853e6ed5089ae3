// The reads of V1 as one would write them with the usual parts. See README.md for what it has and has not.
import { createHash } from 'node:crypto'
import etag from '@fastify/etag'
import Fastify from 'fastify'
import pg from 'pg'
import { QUERIES, SEARCHES } from './queries.js'
import { CREDENTIALS, LIST, PASSPORT } from './schemas.js'

const POOL = 10
const KEY_MILLISECONDS = 60_000

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: POOL })
const ask = (name, values) => pool.query({ name, text: QUERIES[name], values }).then(({ rows }) => rows)
const search = (name, values) => pool.query(SEARCHES[name], values).then(({ rows }) => rows)

const app = Fastify()
await app.register(etag)

const known = new Map()
app.addHook('onRequest', async (request, reply) => {
  const key = request.headers['x-api-key']
  if (key === undefined || (known.get(key) ?? 0) > Date.now()) return
  const rows = await ask('key', [createHash('sha256').update(key).digest()])
  if (rows.length === 0) return reply.code(401).send({ error: 'Unknown key.' })
  known.set(key, Date.now() + KEY_MILLISECONDS)
})

app.get('/api/v1/passports/:id', { schema: PASSPORT }, async ({ params: { id } }, reply) => {
  const isId = /^\d+$/.test(id)
  const [row] = isId ? await ask('byId', [id]) : await ask('byWallet', [id.toLowerCase()])
  if (!row) return reply.code(404).send({ error: 'Resource not found.' })
  return { passport: { ...listed(row), merged: false, passport_socials: row.passport_socials } }
})

app.get('/api/v1/passports', { schema: LIST }, async ({ query }) => {
  const page = Number(query.page ?? 1)
  const size = Math.min(Number(query.per_page ?? 25), 250)
  const slice = [size, (page - 1) * size]
  const pattern = query.keyword ? `%${fold(query.keyword)}%` : undefined
  const [rows, [{ total }]] = await Promise.all(
    pattern
      ? [search('page', [...slice, pattern]), search('count', [pattern])]
      : [ask('list', slice), ask('count', [])],
  )
  const last = Math.max(1, Math.ceil(total / size))
  return { passports: rows.map(listed), pagination: { current_page: page, last_page: last, total } }
})

app.get('/api/v1/passport_credentials', { schema: CREDENTIALS }, async ({ query }, reply) => {
  const rows = await ask('credentials', [query.passport_id])
  if (rows.length === 0 && (await ask('exists', [query.passport_id])).length === 0)
    return reply.code(404).send({ error: 'Resource not found.' })
  return {
    passport_credentials: rows.map(({ calculated_at, earned_at, ...row }) => ({
      ...row,
      earned_at: earned_at?.toISOString() ?? '',
      last_calculated_at: calculated_at.toISOString(),
    })),
  }
})

function listed({ bio, display_name, location, tags, last_calculated_at, ...row }) {
  return {
    ...row,
    last_calculated_at: last_calculated_at.toISOString(),
    passport_profile: { bio, display_name, location, tags },
  }
}

/** As the names in the table are. */
const fold = (text) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')

console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
