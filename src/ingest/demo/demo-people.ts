import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { parseRecord } from '../../domain/record/parse-record.ts'
import type { IncomingRecord, PassportRecord } from '../../domain/record/record.ts'
import file from './people.jsonl.zst' with { type: 'file' }

const DAY = 86_400_000

/** Days before the begin of the history: a time such as `@-120`, or the date of that day, such as `@-120 day`. */
const RELATIVE = /"@(-\d+)( day)?"/g

/**
 * The invented people of the demo, and their changes by step of the history. The file (238 kB; `zstdcat` shows it) has
 * one record a line, in the format of docs/records.md with relative times. It was written once, by the generator of
 * version 0.2.1: a thousand people, and one who was merged into another.
 */
export function readDemo(begin: number) {
  const people: PassportRecord[] = []
  const changes: { step: number; record: IncomingRecord }[] = []
  const text = zstdDecompressSync(readFileSync(file)).toString()
  const dated = text.replace(RELATIVE, (_, days, isDate) => {
    const time = new Date(begin + Number(days) * DAY).toISOString()
    return JSON.stringify(isDate ? time.slice(0, 10) : time)
  })
  for (const line of dated.trimEnd().split('\n')) {
    const value = JSON.parse(line)
    const { record } = parseRecord(value, { now: begin, rawKindOf: () => undefined, rescore: false })
    if (record.kind === 'passport') people.push(record.passport)
    else changes.push({ step: value.step, record })
  }
  return { people, changes }
}
