import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { presentEventItem } from '../../../src/core/history/present-event.ts'
import type { Store } from '../../../src/core/store/store.ts'

const hash = (...parts: (string | Uint8Array)[]) =>
  parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest()

/** Computes the head of the log from its events, with other code than the service. */
export async function computeHead({ events }: Store, base?: string): Promise<string> {
  const { log, first, last } = { log: 'x', ...(await events.log()) }
  let head: Uint8Array = Buffer.from(base ?? (await events.fold(0)).base, 'hex')
  for (let sequence = first; sequence <= last; ) {
    for (const event of (await events.listProven({ after: sequence - 1, limit: 1000 })).events) {
      if (event.sequence !== sequence) throw new Error(`Event ${sequence} is missing.`)
      const item = presentEventItem(event, { log, source: '' })
      const leaf = 'leaf' in item ? Buffer.from(item.leaf, 'hex') : hashEvent(sequence, item)
      head = hash(Uint8Array.of(1), head, leaf)
      sequence++
    }
  }
  return Buffer.from(head).toString('hex')
}

type Item = { time: string; type: string; subject?: string; data: unknown; salt?: string }

function hashEvent(sequence: number, { time, type, subject, data, salt = '' }: Item): Uint8Array {
  const content = { sequence, time, type, ...(subject !== undefined && { subject }), data }
  return hash(Uint8Array.of(0), Buffer.from(salt, 'hex'), canonicalize(content) as string)
}

/** Adds all events to the stored head. */
export async function foldAll({ events }: Store) {
  for (;;) {
    const log = await events.fold(5000)
    if (log.length === log.last) return log
  }
}
