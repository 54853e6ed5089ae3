import { createReadStream, fchmodSync, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { CommandError } from '../../core/basics/errors.ts'
import { count, number } from '../../core/basics/text/counts-and-sizes.ts'
import { printable, quote, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, type Terminal, UsageError } from '../../core/cli/command.ts'
import { openForDryRun, openWhole, openWithRules } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { shutdownSignal } from '../../core/cli/shutdown-signal.ts'
import { writeAll } from '../../core/cli/write-descriptor.ts'
import { rawKindOf } from '../../core/passport/rules/rule-set.ts'
import type { ImportReport, Refusal, Source } from './import.ts'

/** Refusals shown on standard error; --rejects writes all of them. */
const SHOWN_REFUSALS = 20

export const RESTORE_OPTION = {
  restore: { about: 'accept records of removed passports' },
} as const

export const importCommand = defineCommand({
  name: 'import',
  summary: 'import records',
  description: `Files are JSON lines, plain or gzip: docs/records.md. Invalid lines are refused by line and field
    (the exit code is then 1), and the other lines are imported. Importing the same file twice changes nothing.
    To continue an interrupted import, run it again.`,
  options: {
    rejects: {
      placeholder: 'FILE',
      about: 'write every refusal, with its line, as JSON lines; also with --dry-run',
    },
    strict: { about: 'stop at the first refusal' },
    'dry-run': { about: 'report the result of the import, and change no database' },
    rescore: { about: 'let the rule set score credentials that have a score of their own' },
    ...RESTORE_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{ args: 'FILE...', about: '- reads standard input' }],
  async run({ values, args }, terminal) {
    const { rejects, strict = false, 'dry-run': dryRun = false, rescore = false, restore = false } = values
    const sources = args.map(toSource)
    refuseOverwrite(sources, rejects)
    const refusals = createRefusals(terminal, rejects)
    const { importRecords } = await import('./import.ts')
    await using database = await openWithRules(terminal, values, dryRun ? openForDryRun : openWhole)
    const { store, rules } = database
    const bytes = sumOfCounts(sources, ({ size }) => size)
    using progress = createProgress(terminal, 'lines', bytes)
    // A dry run has changed nothing when a signal ends it.
    using signal = dryRun ? undefined : shutdownSignal()
    signal?.addEventListener('abort', () => process.stdin.destroy())
    const bytesRead = () => sumOfCounts(sources, (source) => source.bytesRead())
    const report = await importRecords(sources, {
      store,
      now: terminal.now(),
      rawKindOf: (type) => rawKindOf(rules, type),
      rescore,
      restore,
      dryRun,
      strict,
      signal,
      onRefusal(refusal) {
        progress.end()
        refusals.add(refusal)
      },
      onProgress: ({ lines }) => progress.update(lines, bytesRead()),
    })
    progress.end()
    terminal.err(
      `${dryRun ? 'Nothing was imported. ' : ''}${describeImport(report, strict || signal?.aborted)}\n`,
    )
    if (report.typesWithoutRule.size > 0) terminal.err(`${describeTypes([...report.typesWithoutRule])}\n`)
    signal?.throwIfAborted()
    if (report.refused > 0) throw new CommandError(refusals.summary(report.refused, strict))
  },
})

type FileSource = Source & {
  file?: Stats
  /** `NaN` for a pipe. */
  size: number
  bytesRead: () => number
}

/** Checks that the file exists before the import starts. */
function toSource(path: string): FileSource {
  if (path === '-')
    return { name: 'standard input', open: () => process.stdin, size: Number.NaN, bytesRead: () => 0 }
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) throw new CommandError(`There is no file ${path}.`)
  if (file.isDirectory()) throw new CommandError(`${path} is a folder: pass the files in it.`)
  let stream: ReturnType<typeof createReadStream> | undefined
  return {
    name: path,
    open: () => {
      stream = createReadStream(path, { highWaterMark: 256 * 1024 })
      return stream
    },
    file,
    size: file.isFile() ? file.size : Number.NaN,
    bytesRead: () => stream?.bytesRead ?? 0,
  }
}

/** Throws if --rejects names an imported file, because that file would be overwritten while it is read. */
function refuseOverwrite(sources: readonly FileSource[], rejects: string | undefined): void {
  const target = rejects === undefined ? undefined : statSync(rejects, { throwIfNoEntry: false })
  if (!target?.isFile()) return
  const isTarget = ({ file }: FileSource) => file?.ino === target.ino && file.dev === target.dev
  if (sources.some(isTarget))
    throw new UsageError(`--rejects ${rejects} is also imported: choose another file.`)
}

const sumOfCounts = (sources: readonly FileSource[], of: (source: FileSource) => number) =>
  sources.reduce((sum, source) => sum + of(source), 0)

function createRefusals(terminal: Terminal, path: string | undefined) {
  const file = path === undefined ? undefined : openSync(path, 'w', 0o600)
  // An existing file keeps its mode, but refused lines are for its owner.
  if (file !== undefined && fstatSync(file).isFile()) fchmodSync(file, 0o600)
  let printed = 0
  return {
    add(refusal: Refusal): void {
      if (file !== undefined) writeAll(file, toJsonText(refusal), path ?? '')
      if (printed++ < SHOWN_REFUSALS) {
        const what = [refusal.field, refusal.reason].filter(Boolean).join(': ')
        terminal.err(`${printable(`${refusal.file}:${refusal.line}: ${what}`)}\n`)
      }
    },
    summary(refused: number, stopped: boolean): string {
      const where = path ?? (refused > SHOWN_REFUSALS ? 'the first are shown; --rejects FILE writes all' : '')
      const lines = `${count(refused, 'line')} ${refused === 1 ? 'was' : 'were'} refused`
      return `${stopped ? 'Stopped: ' : ''}${lines}${where && ` (${where})`}.`
    },
  }
}

/** All numbers of lines in the summary add up to `lines`. */
function describeImport(report: ImportReport, isPartial = false): string {
  const { lines, added, changed, unchanged, removed, refused, unknownFields } = report
  const rest = lines - added - changed - unchanged - removed - refused
  const exceptional: [number, string][] = [
    [removed, 'of removed passports skipped (--restore accepts them)'],
    [refused, 'refused'],
    [rest, isPartial ? 'not imported' : 'replaced by a later line'],
  ]
  return `${[
    `${count(lines, 'line')}: ${number(added)} added`,
    `${number(changed)} changed`,
    `${number(unchanged)} unchanged`,
    ...exceptional.filter(([some]) => some > 0).map(([some, what]) => `${number(some)} ${what}`),
    ...(unknownFields > 0 ? [`${count(unknownFields, 'unknown field')} ignored`] : []),
  ].join(', ')}.`
}

const SHOWN_TYPES = 10

function describeTypes(types: readonly string[]): string {
  const names = types.slice(0, SHOWN_TYPES).map((type) => printable(quote(type)))
  if (types.length > SHOWN_TYPES) names.push(`and ${types.length - SHOWN_TYPES} more`)
  return `The rule set has no rule for ${count(types.length, 'type')}, which give no points: ${names.join(', ')}.`
}
