import type { PassportRef } from '../../domain/passport.ts'
import type { Store } from '../store.ts'
import { createTurns } from '../turns.ts'
import { withV1 } from '../v1-adapter.ts'
import {
  connectReader,
  connectWriter,
  guarded,
  type Methods,
  openWhole,
  orClose,
  reachable,
  translate,
  WRITER_WAIT,
} from './connect.ts'
import { createCredentialList } from './credentials.ts'
import { createDocumentFiles } from './document-files.ts'
import { createDocumentMaker } from './document-maker.ts'
import { createDocumentReader } from './documents.ts'
import { createKeyReader, createKeys } from './keys.ts'
import { createListing } from './listing.ts'
import { createLogLimit } from './log-limit.ts'
import { migrate, refuseOlder } from './migrate.ts'
import { createMirror } from './mirror.ts'
import { createCopying, createParts } from './parts.ts'
import { createPassportReader } from './passports.ts'
import { createPing } from './ping.ts'
import { createRanking, SMALL } from './ranking.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createScoring } from './scoring.ts'
import { createSearch } from './search.ts'
import { createRetirement } from './settings.ts'
import { createUsage } from './usage.ts'
import { createView } from './view.ts'

/** Room for the inner pages of large tables: what is left to read is mostly the page with the row itself. */
const HOT_CACHE_KIB = 32 * 1024

type Options = {
  create?: boolean
  migrate?: boolean
  /** Of the documents to give out. */
  form?: string | undefined
  /** Up to so many passports, lists and keywords are never behind the data. */
  small?: number
  /** Is told what makes answers slower, and when that is over. */
  onNotice?: ((sentence: string) => void) | undefined
}

/** Opens the database file, bringing it up to date first. Throws `unavailable` with a sentence. */
export function openSqlite(path: string, options: Options = {}): Store {
  const {
    create = true,
    migrate: mayMigrate = true,
    form,
    small = SMALL,
    onNotice = () => undefined,
  } = options
  return openWhole(path, () => {
    const writer = connectWriter(path, create)
    orClose(writer, () => (mayMigrate ? migrate(writer) : refuseOlder(writer)))
    const reader = connectReader(path)
    const hot = connectReader(path, HOT_CACHE_KIB)
    const view = createView(hot)
    const turns = createTurns()
    const search = createSearch(connectReader(path), { turns, small, onNotice })
    const ranking = createRanking(connectReader(path), { hot, view, turns, small, names: search.names })
    const ping = createPing(path, reader)

    const listing = createListing({ reader: hot, view, ranking, search })
    const passports = createPassportReader({ reader: hot, view, ranking, listing })
    const findId = (ref: PassportRef) => passports.find(ref)?.id

    /** Reads of requests, which share views of the database. */
    const viewed = <T extends Methods>(methods: T) => guarded(path, methods, { onFault: view.end })
    /** All else may write: what was written here is seen at once. */
    const changing = <T extends Methods>(methods: T) => guarded(path, methods, { after: view.end })
    /** What may write much: import, mirror, scoring, copy. */
    const limitLog = createLogLimit(path, writer, WRITER_WAIT)
    const filling = <T extends Methods>(methods: T) =>
      guarded(path, methods, {
        after() {
          view.end()
          limitLog()
        },
      })
    /** For methods that tell themselves: wrapping them as `viewed` does takes longer than what they do. */
    const fail = (error: unknown): never => {
      view.end()
      return translate(path, error)
    }
    const trusted = { form }
    const files = createDocumentFiles(path)
    const { close: closeDocuments, ...documents } = createDocumentReader({
      reader: hot,
      view,
      files,
      trusted,
      listing,
      fail,
    })
    const connections = { reader, writer }

    return withV1({
      passports: { ...viewed(passports), ...changing(createPassportChanges(writer)) },
      records: filling(createRecords(connections)),
      credentials: viewed(createCredentialList(hot, view)),
      documents: {
        ...documents,
        ...viewed({ list: documents.list }),
        ...filling(createDocumentMaker(writer, files, trusted)),
      },
      scoring: filling(createScoring({ ...connections, find: findId })),
      mirror: changing(createMirror(connections)),
      keys: { ...createKeyReader(hot, view, fail), ...changing(createKeys(connections)) },
      usage: changing(createUsage(connections)),
      retirement: changing(createRetirement(connections)),
      parts: createParts(connections).map(({ name, ...part }) => ({ name, ...filling(part) })),
      copying: changing(createCopying(connections)),
      ping: () => reachable(path, ping),
      close() {
        turns.close()
        ranking.close()
        search.close()
        closeDocuments()
        view.close()
        reader.close()
        writer.close()
      },
    })
  })
}
