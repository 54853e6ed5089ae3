// Runs with the packed package in Node, Bun and a browser; the results must be equal.
import { createClient, createMemoryCache, PassportError, verifyWebhook } from '@passportd/client'

/**
 * @param {string} baseUrl of a service with the demo data
 * @param {string} faulty base URL of the failing service
 * @param {string} apiKey a key of the service
 * @param {string} webhook JSON of a signed message
 */
export async function run(baseUrl, faulty, apiKey, webhook) {
  const notices = []
  const client = createClient({
    baseUrl,
    cache: createMemoryCache(),
    onDeprecation: ({ deprecatedAt }) => notices.push(deprecatedAt?.toISOString()),
  })
  const ids = []
  for await (const { passport_id } of client.passports.list({ keyword: 'ada', perPage: 2 }))
    ids.push(passport_id)
  const passport = await client.passports.get(ids[0])
  const again = await client.passports.get(passport.main_wallet)
  const credentials = await client.credentials.list(ids[0])
  const { v3 } = createClient({ baseUrl, apiKey })
  const listed = []
  for await (const { passport_id } of v3.list({ q: 'ada', limit: 2, select: ['passport_id'] }))
    listed.push(passport_id)
  const { items } = await v3.lookup([...ids, 'github:'], { select: ['passport_id'] })
  const events = []
  const changing = createClient({ baseUrl: `${faulty}/events`, apiKey, longestWait: 10 })
  for await (const { id } of changing.v3.events({ follow: true })) if (events.push(id) === 3) break
  const { outcomes } = await v3.write([{ passport_id: 999001 }], { dryRun: true })
  const made = await v3.subscriptions.create({ url: 'https://hook.example/' })
  const paused = await v3.subscriptions.change(made.id, { state: 'paused' })
  const removed = await v3.subscriptions.remove(made.id)
  const { headers, body, keys } = JSON.parse(webhook)
  const verified = []
  for (const [key, text] of [...keys.map((each) => [each, body]), [keys[0], `${body} `]]) {
    const request = new Request('https://hook.example/', { method: 'POST', headers, body: text })
    verified.push(
      await verifyWebhook(request, key).then(
        ({ id }) => id,
        ({ name }) => name,
      ),
    )
  }
  const failures = []
  const failing = (way, options = {}) =>
    createClient({ baseUrl: `${faulty}/${way}`, ...options }).passports.get(1)
  const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 1 })
  const late = createClient({ baseUrl, timeout: 20, retries: 0, fetch: (_, { signal }) => never(signal) })
  for (const work of [
    () => client.passports.get(999999),
    () => client.passports.page({ page: -1 }),
    () => unreachable.passports.get(1),
    () => late.passports.get(1),
    () => failing('limited-once'),
    () => failing('redirect', { retries: 0 }),
    () => failing('cut', { retries: 0 }),
    () => failing('silent', { timeout: 100, retries: 1 }),
    () => client.v3.lookup([1]),
    () => v3.passport('lens:nobody'),
    () => client.passports.get(1, { signal: AbortSignal.abort(new Error('called off')) }),
  ]) {
    try {
      await work()
      failures.push('none')
    } catch (error) {
      failures.push(error instanceof PassportError ? `${error.code} ${error.status}` : error.message)
    }
  }
  return {
    ids,
    passport,
    isSame: JSON.stringify(again) === JSON.stringify(passport),
    credentials: credentials.length,
    notices,
    listed,
    found: items.map((item) => item.passport?.passport_id ?? item.error),
    events,
    written: outcomes.map(({ outcome }) => outcome),
    hook: [made.state, paused.state, removed.state],
    verified,
    failures,
  }
}

const never = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
