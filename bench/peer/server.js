// Serves single passports of V1: see README.md.
import { createHash } from 'node:crypto'
import etag from '@fastify/etag'
import Fastify from 'fastify'
import pg from 'pg'
import { QUERIES } from './queries.js'
import { PASSPORT } from './schemas.js'

const POOL = 10
const KEY_MILLISECONDS = 60_000

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: POOL })
const query = (name, values) => pool.query({ name, text: QUERIES[name], values }).then(({ rows }) => rows)

const app = Fastify()
await app.register(etag)

const known = new Map()
app.addHook('onRequest', async (request, reply) => {
  const key = request.headers['x-api-key']
  if (key === undefined || (known.get(key) ?? 0) > Date.now()) return
  const rows = await query('key', [createHash('sha256').update(key).digest()])
  if (rows.length === 0) return reply.code(401).send({ error: 'Unknown key.' })
  known.set(key, Date.now() + KEY_MILLISECONDS)
})

app.get('/api/v1/passports/:id', { schema: PASSPORT }, async ({ params: { id } }, reply) => {
  const isId = /^\d+$/.test(id)
  const [row] = isId ? await query('byId', [id]) : await query('byWallet', [id.toLowerCase()])
  if (!row) return reply.code(404).send({ error: 'Resource not found.' })
  const { bio, display_name, location, tags, last_calculated_at, ...rest } = row
  return {
    passport: {
      ...rest,
      last_calculated_at: last_calculated_at.toISOString(),
      merged: false,
      passport_profile: { bio, display_name, location, tags },
    },
  }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
