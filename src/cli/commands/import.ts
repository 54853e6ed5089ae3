import { createReadStream, openSync, type Stats, statSync, writeSync } from 'node:fs'
import { readConfig } from '../../config.ts'
import { CommandError } from '../../domain/errors.ts'
import { count, printable } from '../../domain/text/format.ts'
import { type ImportReport, importRecords, type Refusal, type Source } from '../../ingest/import.ts'
import type { RawKind } from '../../ingest/raw-value.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { type RuleSet, ruleOf } from '../../scoring/rules.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import { openWhole } from '../open-store.ts'
import { createProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  rejects: { type: 'string' },
  strict: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  rescore: { type: 'boolean' },
  restore: { type: 'boolean' },
} as const

/** Refusals shown on standard error; `--rejects` has them all. */
const SHOWN_REFUSALS = 20

export async function importCommand(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('import', args, OPTIONS, Number.POSITIVE_INFINITY)
  if (positionals.length === 0)
    throw new UsageError('Name the files, or - for standard input: passportd import FILE...')
  const sources = positionals.map(toSource)
  const config = readConfig(terminal.env, values)
  const rules = await loadRules(config.rules)
  refuseOverwrite(sources, values.rejects)
  const refusals = createRefusals(terminal, values.rejects)
  await using store = await openWhole(config.database)
  const progress = createProgress(terminal, { unit: 'lines', ...sizeOf(sources) })
  try {
    const report = await importRecords(sources, {
      store,
      now: terminal.now(),
      rawKindOf: (type) => rawKindOf(rules, type),
      rescore: values.rescore === true,
      restore: values.restore === true,
      dryRun: values['dry-run'] === true,
      strict: values.strict === true,
      onRefusal(refusal) {
        progress.end()
        refusals.add(refusal)
      },
      onProgress: ({ lines }) =>
        progress.update(
          lines,
          sources.reduce((sum, { bytesRead }) => sum + bytesRead(), 0),
        ),
    })
    progress.end()
    terminal.err(`${values['dry-run'] ? 'Nothing was written. ' : ''}${describe(report)}\n`)
    if (report.refused > 0) throw new CommandError(refusals.summary(report.refused, values.strict === true))
  } finally {
    progress.end()
  }
}

type FileSource = Source & { file?: Stats; size: number | undefined; bytesRead: () => number }

/** Checks that the file is there before anything is read. */
function toSource(path: string): FileSource {
  if (path === '-')
    return { name: 'standard input', open: () => process.stdin, size: undefined, bytesRead: () => 0 }
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) throw new CommandError(`There is no file ${path}.`)
  if (file.isDirectory()) throw new CommandError(`${path} is a folder: name the files in it.`)
  let stream: ReturnType<typeof createReadStream> | undefined
  return {
    name: path,
    open: () => {
      stream = createReadStream(path, { highWaterMark: 256 * 1024 })
      return stream
    },
    file,
    size: file.isFile() ? file.size : undefined,
    bytesRead: () => stream?.bytesRead ?? 0,
  }
}

/** The rejects are written while the files are read. */
function refuseOverwrite(sources: readonly FileSource[], rejects: string | undefined): void {
  const target = rejects === undefined ? undefined : statSync(rejects, { throwIfNoEntry: false })
  if (!target?.isFile()) return
  const isTarget = ({ file }: FileSource) => file?.ino === target.ino && file.dev === target.dev
  if (sources.some(isTarget))
    throw new UsageError(`--rejects ${rejects} is a file that is imported: name another.`)
}

function sizeOf(sources: readonly FileSource[]): { total?: number } {
  const sizes = sources.map(({ size }) => size)
  return sizes.includes(undefined) ? {} : { total: sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) }
}

export function rawKindOf(rules: RuleSet, type: string): RawKind | undefined {
  const rule = ruleOf(rules, type)
  return rule && (rule.convert === 'years' ? 'date' : 'number')
}

function createRefusals(terminal: Terminal, path: string | undefined) {
  const file = path === undefined ? undefined : openRejects(path)
  let shown = 0
  return {
    add(refusal: Refusal): void {
      if (file !== undefined) writeSync(file, `${JSON.stringify(refusal)}\n`)
      if (shown++ < SHOWN_REFUSALS) {
        const what = [refusal.field, refusal.reason].filter(Boolean).join(': ')
        terminal.err(`${refusal.file}:${refusal.line}: ${printable(what)}\n`)
      }
    },
    summary(refused: number, stopped: boolean): string {
      const where = path ?? (refused > SHOWN_REFUSALS ? 'the first are shown; --rejects FILE keeps all' : '')
      const lines = `${count(refused, 'line')} ${refused === 1 ? 'was' : 'were'} refused`
      return `${stopped ? 'Stopped: ' : ''}${lines}${where && ` (${where})`}.`
    },
  }
}

function openRejects(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}.`)
  }
}

function describe({ lines, added, changed, unchanged, removed, unknownFields }: ImportReport): string {
  const parts = [
    `${count(lines, 'line')}: ${added.toLocaleString('en')} added`,
    `${changed.toLocaleString('en')} changed`,
    `${unchanged.toLocaleString('en')} unchanged`,
  ]
  if (removed > 0)
    parts.push(`${removed.toLocaleString('en')} of removed passports left out (--restore lets them in)`)
  if (unknownFields > 0) parts.push(`${count(unknownFields, 'unknown field')} ignored`)
  return `${parts.join(', ')}.`
}
