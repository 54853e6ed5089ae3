import {
  DATABASE_EXAMPLES,
  type DatabaseAddress,
  hidePassword,
  nameDatabase,
  parseDatabaseAddress,
} from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { copyStore, digestOf, digestStore, type TableReport } from '../../ingest/copy.ts'
import { shutdownSignal } from '../../serve/shutdown-signal.ts'
import type { Store } from '../../store/store.ts'
import { parseOptions, refuseExtra, UsageError } from '../args.ts'
import { openForCommand } from '../open-store.ts'
import { createProgress } from '../progress.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = { replace: { type: 'boolean' }, forget: { type: 'boolean' } } as const

/** What makes a store more than an empty one; settings come with the first start. */
const TELLING_PARTS = ['passports', 'keys', 'removals']

export async function copy(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('copy', args, OPTIONS, 2)
  if (values.forget) return forget(positionals, terminal)
  const [from, to] = [parseAddress(positionals[0]), parseAddress(positionals[1])]
  const [source, target] = [nameDatabase(from), nameDatabase(to)]
  if (source === target) throw new UsageError(`${source} cannot be copied to itself.`)
  const signal = shutdownSignal()
  await using fromStore = await openForCommand(from)
  await using toStore = await openForCommand(to, { create: true })
  if (!values.replace) await refuseOverwrite(toStore, source, target, signal)
  await refuseSame(fromStore, toStore, source)
  await toStore.copying.note(source)
  const reports = await run({ from: fromStore, to: toStore }, signal, terminal)
  terminal.out(describe(reports))
  const different = reports.filter(({ isSame }) => !isSame).map(({ name }) => name)
  if (different.length > 0) {
    throw new CommandError(
      `${different.join(', ')} differ: ${source} or ${target} was changed meanwhile. Stop what writes to them and run this again: it goes on from here.`,
    )
  }
  await toStore.copying.note(noteOf(source, digestOf(reports)))
  terminal.err(`${target} now holds exactly what ${source} holds. Set DATABASE_URL to serve from it.\n`)
}

async function forget(positionals: string[], terminal: Terminal): Promise<void> {
  const address = parseAddress(positionals[0])
  refuseExtra('copy', positionals.slice(1))
  await using store = await openForCommand(address)
  await store.copying.note('')
  terminal.err(`${nameDatabase(address)} is taken as it is.\n`)
}

/** A copy that was ended knows what it left behind. */
const noteOf = (source: string, digest: string) => `${source}\n${digest}`

async function run(stores: { from: Store; to: Store }, signal: AbortSignal, terminal: Terminal) {
  const total = await stores.from.passports.count()
  const progress = createProgress(terminal, { unit: 'passports copied or compared', total: total * 3 })
  let before = 0
  let last = 0
  try {
    return await copyStore({
      ...stores,
      signal,
      onProgress(part, done) {
        if (part !== 'passports') return
        // Each of the three walks begins anew.
        if (done < last) before += last
        last = done
        progress.update(before + done)
      },
    })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new CommandError('Stopped. Run it again and it goes on from here.')
  } finally {
    progress.end()
  }
}

/** Under two names it may still be one database: what is written to one can then be read from the other. */
async function refuseSame(from: Store, to: Store, source: string): Promise<void> {
  const before = await to.copying.find()
  const nonce = crypto.randomUUID()
  await to.copying.note(nonce)
  const isSame = (await from.copying.find()) === nonce
  await to.copying.note(before ?? source)
  if (isSame) throw new UsageError(`${source} cannot be copied to itself.`)
}

/** What was copied from the same source, and not changed since, may be brought up to date. */
async function refuseOverwrite(store: Store, source: string, target: string, signal: AbortSignal) {
  const note = await store.copying.find()
  if (note === source) return
  const found = await findTelling(store)
  if (found === undefined) return
  const wasCopied = note?.startsWith(`${source}\n`) === true
  const quiet = { signal, onProgress: () => undefined }
  if (wasCopied && note === noteOf(source, await digestStore(store, quiet))) return
  throw new CommandError(
    `${target} ${wasCopied ? 'was changed since it was copied' : `is not empty: it has ${found}`}. With --replace all that it holds is given up for what ${source} holds.`,
  )
}

async function findTelling({ copyTables }: Store): Promise<string | undefined> {
  for (const { name, list } of copyTables) {
    if (TELLING_PARTS.includes(name) && (await list({ limit: 1 })).length > 0) return name
  }
  return undefined
}

function parseAddress(text: string | undefined): DatabaseAddress {
  if (text === undefined) throw new UsageError('Name both databases: passportd copy FROM_URL TO_URL.')
  const address = parseDatabaseAddress(text)
  if (address) return address
  throw new UsageError(
    `A database is named by an address such as ${DATABASE_EXAMPLES}, got "${hidePassword(text)}".`,
  )
}

const describe = (reports: readonly TableReport[]) =>
  formatTable([
    ['WHAT', 'COUNT', 'WRITTEN', 'CHECKSUM'],
    ...reports.map(({ name, count, written, checksum, isSame }) => [
      name.replace('_', ' '),
      count.toLocaleString('en'),
      written.toLocaleString('en'),
      isSame ? checksum.slice(0, 16) : 'differs',
    ]),
  ])
