import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig } from '../../config.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, printable } from '../../domain/text/format.ts'
import type { MirrorOptions, MirrorReport } from '../../ingest/mirror.ts'
import { AnswerError, SourceError } from '../../ingest/throttled-client.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { asked } from '../../serve/signals.ts'
import { VERSION } from '../../version.ts'
import { DATABASE_OPTIONS, defineCommand, invalidValue, UsageError } from '../command.ts'
import { openWhole } from '../open-store.ts'
import { createProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { RESTORE_OPTION, rawKindOf } from './import.ts'

/** Timers cannot wait long enough for a lower rate. */
const [LOWEST_RATE, HIGHEST_RATE] = [0.001, 100_000]
const MOST_AT_ONCE = 256

export const mirror = defineCommand({
  name: 'mirror',
  summary: 'copy all passports of another V1 service',
  description: `URL is the base URL, without /api/v1. To continue an interrupted run, run it again; later runs request
    only changed passports. Passports that were removed there are kept here.`,
  options: {
    key: { placeholder: 'KEY', about: 'sent as X-API-KEY; MIRROR_KEY hides it from the process list' },
    rate: {
      placeholder: 'N',
      default: '10',
      accepts: `a number from ${LOWEST_RATE} to ${HIGHEST_RATE}`,
      parse: numberBetween(LOWEST_RATE, HIGHEST_RATE),
      about: 'maximum number of requests per second',
    },
    concurrency: {
      placeholder: 'N',
      default: '4',
      accepts: `a number from 1 to ${MOST_AT_ONCE}`,
      parse: numberBetween(1, MOST_AT_ONCE),
      about: 'maximum number of concurrent requests',
    },
    ...RESTORE_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{ args: 'URL' }],
  async run({ values, args: [url = ''] }, terminal) {
    const base = parseBase(url)
    const config = readConfig(terminal.env, values)
    const key = parseKey(values.key ?? config.mirrorKey)
    const { rate, concurrency, restore = false } = values
    await runMirror({ base, key, rate, concurrency: Math.floor(concurrency), restore }, config, terminal)
  },
})

type Wanted = Pick<MirrorOptions, 'base' | 'key' | 'rate' | 'concurrency' | 'restore'>

async function runMirror(wanted: Wanted, config: Config, terminal: Terminal): Promise<void> {
  const rules = await loadRules(config.rules)
  const { mirror: mirrorAll } = await import('../../ingest/mirror.ts')
  const signal = asked()
  await using store = await openWhole(config.database)
  const progress = createProgress(terminal, { unit: 'passports' })
  try {
    const report = await mirrorAll({
      ...wanted,
      store,
      userAgent: `passportd/${VERSION} (mirror)`,
      rescore: false,
      rawKindOf: (type) => rawKindOf(rules, type),
      fetch: (url, init) => fetch(url, init),
      sleep: (milliseconds) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
      now: terminal.now,
      ticks: () => performance.now(),
      random: Math.random,
      signal,
      onFailure: (id, reason) => {
        progress.end()
        terminal.err(`passport ${id}: ${printable(reason)}\n`)
      },
      onProgress: (done, total) => progress.update(done, done, total),
    })
    progress.end()
    terminal.err(`${describe(report)}\n`)
    if (report.failed > 0)
      throw new CommandError(`${count(report.failed, 'passport')} failed: run the command again to retry.`)
  } catch (error) {
    progress.end()
    if (signal.aborted) throw new CommandError('Stopped. Run the command again to continue.')
    if (error instanceof SourceError || error instanceof AnswerError) throw new CommandError(error.message)
    throw error
  }
}

function parseBase(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidValue('URL must be an http or https URL', text)
  if (url.username || url.password)
    throw new UsageError('URL must not contain a user name or password: pass a key with --key.')
  // The URL of the list stands for the service.
  return `${url.origin}${url.pathname.replace(/\/(api\/v1(\/.*)?)?$/, '')}`
}

function parseKey(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]*$/.test(text))
    throw new UsageError('The key must consist of visible ASCII characters.')
  return text || undefined
}

function numberBetween(least: number, most: number) {
  return (text: string): number | undefined => {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    return number >= least && number <= most ? number : undefined
  }
}

function describe({ copied, unchanged, gone, barred, failed }: MirrorReport): string {
  const parts = [`${copied} copied`, `${unchanged} unchanged`, `${gone} gone`, `${failed} failed`]
  if (barred > 0) parts.push(`${barred} of removed passports skipped (--restore accepts them)`)
  return `${parts.join(', ')}.`
}
