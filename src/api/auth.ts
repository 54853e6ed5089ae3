import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, keyState, parseKeyId } from '../domain/api-key.ts'
import { unauthorized } from '../domain/errors.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Limiter } from './limits.ts'
import { strip } from './strip.ts'
import type { Fields } from './wire/incoming.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null'])

export type Door = { store: Store; now: () => number; requireKey: boolean; limiter: Limiter }

type Given = { id: string | undefined; hash: Uint8Array }

/** What was read of a request's headers: a connection has the same ones again and again. */
const read = new WeakMap<Fields, Given | 'none'>()

function givenIn(fields: Fields): Given | 'none' {
  const known = read.get(fields)
  if (known) return known
  const key = strip(fields.get('x-api-key') ?? '', ', \t\xa0')
  const given = NO_KEY.has(key) ? 'none' : { id: parseKeyId(key), hash: Bun.SHA256.hash(key) as Uint8Array }
  read.set(fields, given)
  return given
}

/** The key that lets the request in, if it has one; throws where it has a wrong one, or none where one is needed. */
export function authenticate(
  fields: Fields,
  address: () => string,
  { store, now, requireKey, limiter }: Door,
): Awaitable<ApiKey | undefined> {
  const given = givenIn(fields)
  if (given === 'none') {
    if (requireKey) throw unauthorized()
    return undefined
  }

  const { id, hash } = given
  function check(key: ApiKey | undefined): Awaitable<ApiKey> {
    if (!key || !timingSafeEqual(hash, key.hash)) return limiter.takeWrongKey(address()).then(refuse)
    return keyState(key, now()) === 'active' ? key : refuse()
  }

  if (id === undefined) return check(undefined)
  const key = store.keys.find(id)
  return key instanceof Promise ? key.then(check) : check(key)
}

function refuse(): never {
  throw unauthorized()
}
