import { deleteOld, type Job, supervise } from '../core/basics/jobs.ts'
import { createQueue, receiveCalls } from '../core/basics/thread-calls.ts'
import type { Config } from '../core/config/config.ts'
import { updateScores } from '../core/scoring/update-scores.ts'
import { type Damage, noteDamage } from '../core/store/damage.ts'
import { createWriteAnswer, type WriteCall } from '../core/store/data.ts'
import { openStore, SERVE_TIMEOUT } from '../core/store/open.ts'
import { SCHEMA } from '../core/store/schema.ts'
import { AUDIT } from '../core/store/sql/audit-log.ts'
import type { Store } from '../core/store/store.ts'
import { LOG_HEAD } from '../core/store/write/write-events.ts'
import { PASSPORT_CHANGES } from '../core/store/write/write-records.ts'
import { threadLog as log, postToMain, type ToThread } from '../core/threads/messages.ts'
import { dataOf, jobsOf } from '../feature.ts'
import { FEATURES } from '../features.ts'

declare const self: Worker

const stop = new AbortController()
const mayScore = Promise.withResolvers<void>()
const opened = Promise.withResolvers<{ answerWrite: ReturnType<typeof createWriteAnswer>; damage: Damage }>()
const enqueue = createQueue<WriteCall, unknown>(answer)

async function answer(call: WriteCall): Promise<unknown> {
  const { answerWrite, damage } = await opened.promise
  try {
    return await answerWrite(call)
  } catch (error) {
    noteDamage(damage, error)
    throw error
  }
}

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') void runWriterThread(data.config, data.damage)
  else if (data.kind === 'started') mayScore.resolve()
  else if (data.kind === 'connect') receiveCalls(data.port, enqueue)
  else if (data.kind === 'stop') {
    stop.abort()
    mayScore.resolve()
  }
}

/** Runs writes and long reads outside of the server threads. */
async function runWriterThread(config: Config, damage: Damage): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const data = [PASSPORT_CHANGES, LOG_HEAD, ...(await dataOf(FEATURES))]
  opened.resolve({ answerWrite: createWriteAnswer(data, store.data), damage })
  const onError = (error: unknown) => noteDamage(damage, error)
  await supervise(await createJobs(config, store), { log, signal: stop.signal, onError })
  await store.database.close()
  postToMain({ kind: 'stopped' })
}

async function createJobs(config: Config, store: Store): Promise<Job[]> {
  const { database, auditDays, historyDays } = config
  const { signal } = stop
  const scoring = new AbortController()
  const scoringEnd = AbortSignal.any([signal, scoring.signal])
  const jobs: Job[] = [
    updateScores(store, { log, mayScore: mayScore.promise, signal: scoringEnd }),
    checkSchemaChange(store, scoring),
    ...(await jobsOf(FEATURES, { config, store, log, signal })),
  ]
  // This job notices a deleted, replaced or damaged database even if nothing is written.
  if (database.engine === 'sqlite')
    jobs.push({
      name: 'The database files cannot be used',
      interval: 1000,
      run: async () => void (await store.database.ping()),
    })
  if (auditDays !== undefined)
    jobs.push(
      deleteOld('audit entries', auditDays, signal, (before) => store.data(AUDIT).removeOldest(before)),
    )
  if (Number.isFinite(historyDays))
    jobs.push(
      deleteOld('events', historyDays, signal, async (before) => (await store.events.prune(before)) > 0),
    )
  return jobs
}

/**
 * Stops scoring when a newer version has migrated the database, because that version may store scores in another way.
 */
const checkSchemaChange = (store: Store, scoring: AbortController): Job => ({
  name: 'The schema of the database cannot be checked',
  interval: 1000,
  async run() {
    const schema = await store.database.findSchema()
    if (schema <= SCHEMA || scoring.signal.aborted) return
    scoring.abort()
    log.warn(
      `The database was migrated by a newer passportd (schema ${schema}): this node calculates no scores any more. Replace it by the newer version.`,
    )
  },
})
