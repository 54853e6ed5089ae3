import { createHmac } from 'node:crypto'
import { canonicalJson, sha256 } from '../basics/canonical-json.ts'
import type { ProvenEvent } from './event.ts'
import type { WireEvent } from './event-schema.ts'
import { presentEvent } from './present-event.ts'

/** The head before the first event of a log. */
export const EMPTY_HEAD = '00'.repeat(32)

/** The salt keeps others from guessing the event behind the leaf of a tombstone. `secret` is in hexadecimal. */
export const saltOf = (secret: string, sequence: number): string =>
  createHmac('sha256', Buffer.from(secret, 'hex')).update(`${sequence}`).digest('hex').slice(0, 32)

type Content = Pick<WireEvent, 'time' | 'type' | 'subject' | 'data'>

/** This form is frozen: a change of it, or of `presentEvent`, would invalidate all heads that others have stored. */
export function leafOf(sequence: number, { time, type, subject, data }: Content, salt: string): string {
  const content = canonicalJson({ sequence, time, type, subject, data })
  return sha256(Buffer.concat([Buffer.from(`00${salt}`, 'hex'), Buffer.from(content)]))
}

export const leafOfStored = (event: ProvenEvent): string =>
  event.type === 'tombstone'
    ? event.leaf
    : leafOf(event.sequence, presentEvent(event, { log: '', source: '' }), event.salt)

export const nextHead = (head: string, leaf: string): string => sha256(Buffer.from(`01${head}${leaf}`, 'hex'))
