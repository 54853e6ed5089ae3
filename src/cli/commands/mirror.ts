import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../config.ts'
import { CommandError } from '../../domain/errors.ts'
import { printable } from '../../domain/text/format.ts'
import { type MirrorReport, mirror as mirrorAll } from '../../ingest/mirror.ts'
import { ResponseError, SourceError } from '../../ingest/throttled-client.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { shutdownSignal } from '../../serve/shutdown-signal.ts'
import { VERSION } from '../../version.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import { openWhole } from '../open-store.ts'
import { createProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { rawKindOf } from './import.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  key: { type: 'string' },
  rate: { type: 'string', default: '10' },
  concurrency: { type: 'string', default: '4' },
  restore: { type: 'boolean' },
} as const

export async function mirror(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('mirror', args, OPTIONS, 1)
  const base = parseBase(positionals[0])
  // Timers cannot wait for the turns of a rate that is lower still.
  const rate = parseNumber('--rate', values.rate, 0.001, 100_000)
  const concurrency = Math.floor(parseNumber('--concurrency', values.concurrency, 1, 256))
  const config = readConfig(terminal.env, values)
  const key = parseKey(values.key ?? config.mirrorKey)
  const rules = await loadRules(config.rules)
  const signal = shutdownSignal()
  await using store = await openWhole(config.database)
  const progress = createProgress(terminal, { unit: 'passports' })
  try {
    const report = await mirrorAll({
      store,
      base,
      key,
      userAgent: `passportd/${VERSION} (mirror)`,
      rate,
      concurrency,
      restore: values.restore === true,
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
      throw new CommandError(`${report.failed} could not be copied: run it again to try them anew.`)
  } catch (error) {
    progress.end()
    if (signal.aborted) throw new CommandError('Stopped. Run it again and it goes on from here.')
    if (error instanceof SourceError || error instanceof ResponseError) throw new CommandError(error.message)
    throw error
  }
}

function parseBase(text: string | undefined): string {
  if (text === undefined) throw new UsageError('Name the service to copy: passportd mirror URL.')
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is no http or https address.`)
  if (url.username || url.password)
    throw new UsageError('The address must hold no user name or password: give a key with --key.')
  // Whoever pastes the address of the list means the service.
  return `${url.origin}${url.pathname.replace(/\/(api\/v1(\/.*)?)?$/, '')}`
}

function parseKey(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]*$/.test(text))
    throw new UsageError('The key has characters that no key has.')
  return text || undefined
}

function parseNumber(name: string, text: string | undefined, least: number, most: number): number {
  const number = text?.trim() ? Number(text) : Number.NaN
  if (!(number >= least && number <= most))
    throw new UsageError(`${name} must be a number from ${least} to ${most}, got "${text}".`)
  return number
}

function describe({ copied, unchanged, gone, removed, failed }: MirrorReport): string {
  const parts = [`${copied} copied`, `${unchanged} unchanged`, `${gone} gone`, `${failed} failed`]
  if (removed > 0) parts.push(`${removed} of removed passports left out (--restore lets them in)`)
  return `${parts.join(', ')}.`
}
