import { CommandError } from '../../core/basics/errors.ts'
import { defineCommand, invalidValue, type Terminal, UsageError } from '../../core/cli/command.ts'
import { MAY_CREATE, MUST_EXIST } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { shutdownSignal } from '../../core/cli/shutdown-signal.ts'
import { formatTable } from '../../core/cli/table.ts'
import { readConfig } from '../../core/config/config.ts'
import {
  DATABASE_EXAMPLES,
  type DatabaseAddress,
  hidePassword,
  nameDatabase,
  parseDatabaseAddress,
} from '../../core/store/database-address.ts'
import { openStore } from '../../core/store/open.ts'
import { COPY_NOTE } from '../../core/store/sql/settings.ts'
import type { Store } from '../../core/store/store.ts'
import { copyStore, type TableReport } from './copy.ts'
import { COPY } from './statements.ts'

export const copy = defineCommand({
  name: 'copy',
  summary: 'copy one database to another',
  description: `Copies from SQLite to PostgreSQL or back, or between databases of the same kind, then compares both by
    count and checksum. To continue an interrupted copy, run it again; a second copy with --replace transfers later
    changes. Events are not copied: the history in TO_URL starts with the copy. FROM_URL is only read: stop all
    writers before the last run. COPY_FROM_URL and COPY_TO_URL hide passwords from the process list; arguments have
    precedence.`,
  options: {
    replace: { about: 'change everything in TO_URL that differs from FROM_URL' },
    forget: {
      about:
        'accept the contents of an incomplete copy. Until then the database cannot be served or imported to',
    },
  },
  forms: [
    { args: '[FROM_URL] [TO_URL]', options: ['replace'], about: 'default: COPY_FROM_URL and COPY_TO_URL' },
    { args: '[TO_URL]', required: ['forget'], options: [] },
  ],
  examples: ['passportd copy sqlite:data/passportd.db postgres://user:password@host/database'],
  async run({ values, args }, terminal) {
    const [first, second] = args.map(parseAddress)
    const { copyFrom, copyTo } = readConfig(terminal.env, {})
    if (values.forget) return acceptCopy(first ?? copyTo ?? missing('TO_URL'), terminal)
    const from = first ?? copyFrom ?? missing('FROM_URL')
    const to = second ?? copyTo ?? missing('TO_URL')
    await copyDatabase(from, to, values.replace === true, terminal)
  },
})

function missing(name: string): never {
  throw new UsageError(`The argument ${name} is missing, and COPY_${name} is not set.`)
}

/**
 * A store with rows in one of these tables is not empty. Settings do not count, because the first start creates them.
 */
const CONTENT_TABLES = ['passports', 'keys', 'removals']

async function copyDatabase(
  from: DatabaseAddress,
  to: DatabaseAddress,
  replace: boolean,
  terminal: Terminal,
) {
  const [source, target] = [nameDatabase(from), nameDatabase(to)]
  if (source === target) throw new UsageError(`${source} cannot be copied to itself.`)
  using signal = shutdownSignal()
  await using fromStore = await openStore(from, MUST_EXIST)
  await using toStore = await openStore(to, MAY_CREATE)
  if (!replace) await refuseOverwrite(toStore, source, target)
  await refuseSame(fromStore, toStore, source)
  await toStore.data(COPY_NOTE).save(source)
  using progress = createProgress(terminal, 'passports copied or compared')
  let passports = 0
  const reports = await copyStore({
    from: fromStore,
    to: toStore,
    signal,
    onProgress(part, some) {
      if (part === 'passports') passports += some
      progress.update(passports)
    },
  })
  progress.end()
  terminal.out(describeTables(reports))
  const different = reports.filter(({ isSame }) => !isSame).map(({ name }) => name)
  if (different.length > 0) {
    throw new CommandError(
      `${different.join(', ')} differ: ${source} or ${target} was changed during the copy. Stop all writers and run the command again to continue.`,
    )
  }
  await toStore.data(COPY_NOTE).save('')
  terminal.err(
    `${target} now has the same contents as ${source}, except its events. Set DATABASE_URL to serve from it.\n`,
  )
}

async function acceptCopy(address: DatabaseAddress, terminal: Terminal): Promise<void> {
  await using store = await openStore(address, MUST_EXIST)
  await store.data(COPY_NOTE).save('')
  terminal.err(`The contents of ${nameDatabase(address)} are accepted.\n`)
}

/**
 * Refuses to copy a database to itself under another name. It writes a note to the target, and looks for it in the
 * source.
 */
async function refuseSame(from: Store, to: Store, source: string): Promise<void> {
  const note = to.data(COPY_NOTE)
  const before = await note.find()
  const nonce = crypto.randomUUID()
  await note.save(nonce)
  const isSame = (await from.data(COPY_NOTE).find()) === nonce
  await note.save(before ?? source)
  if (isSame) throw new UsageError(`${source} cannot be copied to itself.`)
}

/** Refuses a target with contents, unless it is an incomplete copy of the same source. */
async function refuseOverwrite(store: Store, source: string, target: string) {
  if ((await store.data(COPY_NOTE).find()) === source) return
  for (const { name, list } of await store.data(COPY).listTables()) {
    if (CONTENT_TABLES.includes(name) && (await list({ limit: 1 })).length > 0)
      throw new CommandError(
        `${target} is not empty: it has ${name}. --replace makes its contents equal to those of ${source}.`,
      )
  }
}

function parseAddress(text: string): DatabaseAddress {
  const address = parseDatabaseAddress(text)
  if (address) return address
  throw invalidValue(`A database URL must look like ${DATABASE_EXAMPLES}`, hidePassword(text))
}

const describeTables = (reports: readonly TableReport[]) =>
  formatTable([
    ['WHAT', 'COUNT', 'WRITTEN', 'CHECKSUM'],
    ...reports.map(({ name, count, written, checksum, isSame }) => [
      name.replace('_', ' '),
      count.toLocaleString('en'),
      written.toLocaleString('en'),
      isSame ? checksum.slice(0, 16) : 'differs',
    ]),
  ])
