import { CommandError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, invalidValue, UsageError } from '../../core/cli/command.ts'
import { openWhole, openWithRules } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { createThrottleOptions } from '../../core/cli/throttle-options.ts'
import { rawKindOf } from '../../core/passport/rules/rule-set.ts'
import { RESTORE_OPTION } from '../records/import-command.ts'
import type { MirrorReport } from './mirror.ts'

export const mirror = defineCommand({
  name: 'mirror',
  summary: 'copy all passports of another V1 or V2 service',
  description: `URL is the base URL. The copy uses /api/v2 if URL ends in /api/v2, otherwise /api/v1. To continue an
    interrupted run, run it again; later runs request only changed passports. Passports that were merged there are
    merged here. Passports that were removed there are named and kept here, unless --prune is given.`,
  options: {
    key: { placeholder: 'KEY', about: 'sent as X-API-KEY; MIRROR_KEY hides it from the process list' },
    // A lower rate would need longer pauses than timers support.
    rate: { ...number(0.001, 100_000), default: '10', about: 'maximum number of requests per second' },
    concurrency: { ...number(1, 256), default: '4', about: 'maximum number of concurrent requests' },
    prune: {
      about: 'remove the copies of passports that are gone at the source, at most half of all its copies',
    },
    'prune-all': { about: 'remove the copies of all gone passports, also more than half' },
    ...RESTORE_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{ args: 'URL' }],
  async run({ values, args: [url = ''] }, terminal) {
    const { base, version } = parseSource(url)
    const client = createThrottleOptions('mirror', terminal, values.key)
    const { mirror: mirrorAll } = await import('./mirror.ts')
    await using database = await openWithRules(terminal, values, openWhole)
    const { store, rules } = database
    using progress = createProgress(terminal, 'passports')
    const report = (id: number | string, reason: string) => {
      progress.end()
      terminal.err(`passport ${id}: ${printable(reason)}\n`)
    }
    const result = await mirrorAll({
      base,
      version,
      ...client,
      rate: values.rate,
      concurrency: Math.floor(values.concurrency),
      restore: values.restore === true,
      prune: values['prune-all'] ? 'all' : values.prune ? 'some' : 'none',
      store,
      rescore: false,
      rawKindOf: (type) => rawKindOf(rules, type),
      onKept: (id, reason) => report(id, `gone at the source, but kept: ${reason}`),
      onFailure: report,
      onProgress: (done, total) => progress.update(done, done, total),
    })
    progress.end()
    terminal.err(`${describeGone(result.gone)}${describe(result.report)}\n`)
    const { failed } = result.report
    if (failed > 0)
      throw new CommandError(`${count(failed, 'passport')} failed: run the command again to retry.`)
    if (result.refusal) throw new CommandError(`Nothing was removed: ${result.refusal}.`)
  },
})

/** Accepts a base URL, or the URL of an endpoint. */
function parseSource(text: string): { base: string; version: 1 | 2 } {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidValue('URL must be an http or https URL', text)
  if (url.username || url.password)
    throw new UsageError('URL must not contain a user name or password: pass a key with --key.')
  const version = /\/api\/v2(\/.*)?$/.test(url.pathname) ? 2 : 1
  return { base: `${url.origin}${url.pathname.replace(/\/(api\/v[12](\/.*)?)?$/, '')}`, version }
}

function number(least: number, most: number) {
  const parse = (text: string): number | undefined => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    return value >= least && value <= most ? value : undefined
  }
  return { placeholder: 'N', accepts: `a number from ${least} to ${most}`, parse }
}

const MOST_NAMED = 20

function describeGone(gone: number[]): string {
  if (gone.length === 0) return ''
  const more = gone.length > MOST_NAMED ? ` and ${gone.length - MOST_NAMED} more` : ''
  const ids = gone.sort((one, other) => one - other).slice(0, MOST_NAMED)
  return `Gone at the source, kept here: ${ids.join(', ')}${more}.\n`
}

function describe({ copied, unchanged, merged, gone, pruned, removed, failed }: MirrorReport): string {
  const parts = [`${copied} copied`, `${unchanged} unchanged`, `${gone} gone`, `${failed} failed`]
  if (merged > 0) parts.push(`${merged} merged`)
  if (pruned > 0) parts.push(`${pruned} pruned`)
  if (removed > 0) parts.push(`${removed} of removed passports skipped (--restore accepts them)`)
  return `${parts.join(', ')}.`
}
