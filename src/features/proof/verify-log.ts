import { createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { CommandError } from '../../core/basics/errors.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { replaceFile } from '../../core/basics/write-atomically.ts'
import { invalidValue, type Terminal } from '../../core/cli/command.ts'
import { createThrottleOptions } from '../../core/cli/throttle-options.ts'
import { createThrottledGet } from '../../core/cli/throttled-client.ts'
import type { PublicJwk } from '../../core/config/signing-keys.ts'
import type { WireEvent, WireLog, WireTombstone } from '../../core/history/event-schema.ts'
import { leafOf, nextHead } from '../../core/history/hash-chain.ts'
import { hidePassword } from '../../core/store/database-address.ts'

type Get = ReturnType<typeof createThrottledGet>

type Values = { log?: string | undefined; head?: string | undefined; key?: string | undefined }

/** Requests per second. The service limits clients, too. */
const RATE = 50

const HASH = /^[0-9a-f]{64}$/

/** Runs `verify --log`. Throws a `CommandError` with the first break. */
export async function verifyLog(terminal: Terminal, { log: url = '', head: file, key }: Values) {
  const base = parseBase(url)
  const stored = file !== undefined && existsSync(file) ? readHead(file) : undefined
  const get = createThrottledGet({ base, rate: RATE, ...createThrottleOptions('verify', terminal, key) })
  const log = await getLog(get)
  const issuer = log.signed === null ? undefined : await checkSignature(get, log, log.signed)
  if (stored) checkStored(stored, log)
  await followEvents(get, log, stored)
  if (file !== undefined) replaceFile(file, `${JSON.stringify(log, null, 2)}\n`)
  const by = issuer === undefined ? 'It is not signed' : `It is signed by ${printable(issuer)}`
  const since = stored ? ` The head of ${stored.length} events in ${file} is on the chain.` : ''
  terminal.out(
    `The events ${log.first} to ${log.length} of the log ${log.log} lead to the head ${log.head}. ${by}.${since}\n`,
  )
}

function parseBase(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw invalidValue('--log must be an http or https URL without a user name', hidePassword(text))
  return url.origin + url.pathname.replace(/\/(api\/v3(\/.*)?)?$/, '')
}

function readHead(file: string): WireLog {
  try {
    const head = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof head.log === 'string' && Number.isInteger(head.length) && HASH.test(head.head)) return head
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw new CommandError(`${file} has no head of an event log: name a file that "verify --log" wrote.`)
}

const broken = (sequence: number, sentence: string) =>
  new CommandError(`Broken at event ${sequence}: ${sentence}`)

/** Repeats the request until the head covers all events that the log had at first. */
async function getLog(get: Get): Promise<WireLog> {
  let log = await requestLog(get)
  for (const { last } = log; log.length < last; ) {
    const next = await requestLog(get)
    if (next.log !== log.log) throw new CommandError('The log was replaced meanwhile: run the command again.')
    if (next.length <= log.length) throw broken(log.length + 1, 'the service cannot add it to the head.')
    log = next
  }
  return log
}

async function requestLog(get: Get): Promise<WireLog> {
  const reply = await get('/api/v3/log')
  const log = (reply.status === 200 ? reply.body : {}) as WireLog
  const hasNumbers = [log.first, log.length, log.last].every(Number.isSafeInteger)
  const hasHashes = HASH.test(log.base) && HASH.test(log.head)
  const isSigned = typeof log.signed === 'string' || log.signed === null
  if (/^[0-9a-z]{1,16}$/.test(log.log) && hasNumbers && hasHashes && isSigned) return log
  throw new CommandError('/api/v3/log is not the head of an event log: check the URL.')
}

/** Returns the issuer. Throws unless a key of the service has signed exactly this head. */
async function checkSignature(get: Get, log: WireLog, signed: string): Promise<string> {
  const [header = '', payload = '', signature = ''] = signed.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const reply = await get('/.well-known/jwks.json')
  try {
    const { alg, typ, kid } = decode(header)
    const { keys } = (reply.status === 200 ? reply.body : { keys: [] }) as { keys: PublicJwk[] }
    const key = keys.find((jwk) => jwk.kid === kid)
    const members = decode(payload)
    const isSame = Object.entries(log).every(([name, value]) => name === 'signed' || members[name] === value)
    const publicKey = createPublicKey({ key: key as PublicJwk, format: 'jwk' })
    const bytes = Buffer.from(signature, 'base64url')
    const isValid = verify(null, Buffer.from(`${header}.${payload}`), publicKey, bytes)
    if (alg === 'EdDSA' && typ === 'passport-log+jwt' && isValid && isSame) return String(members.iss)
  } catch {
    // The token or its key is missing or malformed.
  }
  throw broken(log.length, 'the head is not signed by a key of /.well-known/jwks.json.')
}

/** Throws if the log cannot continue the stored head. `followEvents` compares the hashes. */
function checkStored(stored: WireLog, { log, first, length, signed }: WireLog): void {
  const advice = 'To begin again, move the file with the stored head.'
  const replaced = `the log ${printable(stored.log)} was replaced by ${log}, by a restore or a copy. ${advice}`
  if (stored.log !== log) throw broken(first, replaced)
  if (stored.signed !== null && signed === null)
    throw broken(length, 'the head is no longer signed, but the stored one is.')
  if (stored.length > length)
    throw broken(length + 1, `the log has become shorter. It had ${stored.length} events.`)
  const deleted = `older events, up to the stored head of event ${stored.length} and after it, were deleted. ${advice}`
  if (stored.length < first - 1) throw broken(first, deleted)
}

async function followEvents(get: Get, { log, first, length, base, head: wanted }: WireLog, stored?: WireLog) {
  let [head, sequence, checked] = [base, first - 1, first - 1]
  const compare = (end: number, known: string, whose: string) => {
    if (sequence !== end) return
    const range = `the events ${checked + 1} to ${end}`
    if (head !== known) throw broken(end, `${range} do not lead to ${whose}. At least one was changed.`)
    checked = end
  }
  if (stored) compare(stored.length, stored.head, 'the stored head')
  while (sequence < length) {
    for (const item of await readPage(get, `${log}-${sequence}`)) {
      if (item.id !== `${log}-${sequence + 1}`)
        throw broken(sequence + 1, `the service sends ${printable(String(item.id))} instead.`)
      sequence++
      head = nextHead(head, toLeaf(sequence, item))
      if (stored) compare(stored.length, stored.head, 'the stored head')
      if (sequence === length) break
    }
  }
  compare(length, wanted, 'the head of the service')
}

/** Throws if there is no later event. */
async function readPage(get: Get, after: string): Promise<(WireEvent | WireTombstone)[]> {
  const reply = await get(`/api/v3/events?include=proof&limit=1000&after=${after}`)
  if (reply.status !== 200)
    throw new CommandError(`The events after ${after} were deleted meanwhile: run the command again.`)
  const { items } = reply.body as { items?: (WireEvent | WireTombstone)[] }
  if (!items?.length) throw broken(Number(after.split('-')[1]) + 1, 'it is missing.')
  return items
}

function toLeaf(sequence: number, item: WireEvent | WireTombstone): string {
  if (item.type === 'tombstone') {
    if (HASH.test(item.leaf)) return item.leaf
    throw broken(sequence, 'its tombstone has no leaf.')
  }
  if (/^(?:[0-9a-f]{32})?$/.test(item.salt ?? '-')) return leafOf(sequence, item, item.salt ?? '')
  throw broken(sequence, 'it has no salt.')
}
