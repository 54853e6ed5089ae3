import { createWindowMemory } from '../api/fixed-window.ts'
import type { Family } from '../api/prometheus.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import { tlsProblems } from '../config/tls-files.ts'
import { CommandError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createDamage, type Damage } from './damage.ts'
import type {
  FromCheck,
  FromServer,
  FromThread,
  FromWriter,
  ToCheck,
  ToPictures,
  ToSearch,
  ToServer,
  ToWriter,
} from './messages.ts'
import { startMetrics } from './metrics-server.ts'
import { gauge } from './store-metrics.ts'
import { startThread } from './thread.ts'
import { createMetricSums } from './thread-metrics.ts'

type Options = {
  config: Config
  workers: number
  store: Store
  log: Log
  /** Called when all servers listen. */
  beforeScoring?: () => Promise<void>
}

export type Service = {
  url: URL
  metricsUrl: string | undefined
  total: number
  renewTls(): void
  stop(): Promise<void>
}

/** Starts the threads of the service: servers, search, pictures, and background work. Throws if a server cannot start. */
export async function startService(options: Options): Promise<Service> {
  const { config, workers, store, log } = options
  const sums = createMetricSums()
  const damage = createDamage()
  const metrics = await startMetrics(config, {
    store,
    log,
    damage,
    readThreads: () => [...sums.read(), ...background.readMetrics()],
  })
  const windows = createWindowMemory()
  const servers: ServerThread[] = []
  /** Whether all servers listen: scoring and indexing must not delay the start. */
  let isStarted = false
  const background = startBackground({ config, damage }, log, {
    mayScore: () => isStarted,
    onUpdate(message) {
      if (message.kind === 'snapshot') search.post(message)
      for (const server of servers) server.post(message)
    },
  })
  const mayIndex = () => isStarted
  const search = startSearch(config, log, { snapshot: background.snapshot, mayIndex, servers })
  const pictures = config.explorer ? startPictures(log, servers) : undefined

  function connectAll(server: { post: Post }): void {
    connect('search', search, server)
    if (pictures) connect('pictures', pictures, server)
  }
  const shared = { log, sums, windows, damage, background, connectAll }
  const addServer = (port: number) => startServerThread({ ...shared, config: { ...config, port } })
  let check: ReturnType<typeof startCheck> | undefined

  async function stop(): Promise<void> {
    check?.terminate()
    await Promise.all(servers.map((server) => server.stop()))
    await background.stop()
    await search.stop()
    await pictures?.stop()
    await metrics?.stop()
  }

  try {
    await background.first
    // The first server gets the port from the system if PORT is 0.
    const first = addServer(config.port)
    servers.push(first)
    const { port, url } = await first.started
    while (servers.length < workers) servers.push(addServer(port))
    await Promise.all(servers.map(({ started }) => started))
    await options.beforeScoring?.()
    isStarted = true
    background.post({ kind: 'score' })
    search.post({ kind: 'index' })
    if (config.database.engine === 'sqlite') check = startCheck({ config, damage }, log)
    return {
      url: new URL(url),
      metricsUrl: metrics?.url,
      total: background.snapshot()?.ids.length ?? 0,
      renewTls() {
        if (mayRenewTls(config, log)) for (const server of servers) server.post({ kind: 'renew-tls' })
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Invalid files are logged once, and not by each thread. */
function mayRenewTls({ tls }: Config, log: Log): boolean {
  if (!tls) {
    log.warn('SIGHUP was ignored: TLS_CERT and TLS_KEY are not set.')
    return false
  }
  const problems = tlsProblems(tls.cert, tls.key)
  if (problems.length > 0) log.error(`The old TLS certificate stays in use: ${problems.join(' ')}`)
  return problems.length === 0
}

type Post = (message: ToServer, transfer?: Transferable[]) => void

/** Opens a channel between a thread and a server thread; again when one of them was restarted. */
function connect(
  kind: 'search' | 'pictures',
  thread: { post: (message: ToPictures, transfer: Transferable[]) => void },
  server: { post: Post },
): void {
  const { port1, port2 } = new MessageChannel()
  thread.post({ kind: 'connect', port: port1 }, [port1])
  server.post({ kind, port: port2 }, [port2])
}

type SearchOptions = {
  snapshot: () => Snapshot | undefined
  mayIndex: () => boolean
  servers: readonly ServerThread[]
}

const startSearch = (config: Config, log: Log, { snapshot, mayIndex, servers }: SearchOptions) =>
  startThread<FromThread, ToSearch>({
    name: 'search-thread',
    log,
    onStart(thread) {
      thread.post({ kind: 'start', config })
      const current = snapshot()
      if (current) thread.post({ kind: 'snapshot', snapshot: current })
      if (mayIndex()) thread.post({ kind: 'index' })
      for (const server of servers) connect('search', thread, server)
    },
  })

const startPictures = (log: Log, servers: readonly ServerThread[]) =>
  startThread<FromThread, ToPictures>({
    name: 'picture-thread',
    log,
    onStart(thread) {
      for (const server of servers) connect('pictures', thread, server)
    },
  })

type Shared = { config: Config; damage: Damage }

function startCheck(shared: Shared, log: Log) {
  const thread = startThread<FromCheck, ToCheck>({
    name: 'check-thread',
    log,
    onStart: ({ post }) => post(shared),
    onMessage: () => thread.terminate(),
  })
  return thread
}

type Background = ReturnType<typeof startBackground>

type BackgroundOptions = {
  mayScore: () => boolean
  onUpdate: (message: FromWriter & { kind: 'snapshot' | 'month' }) => void
}

function startBackground(shared: Shared, log: Log, { mayScore, onUpdate }: BackgroundOptions) {
  const first = Promise.withResolvers<void>()
  let snapshot: Snapshot | undefined
  let checkedAt = performance.now()
  const thread = startThread<FromWriter, ToWriter>({
    name: 'writer-thread',
    log,
    onStart(thread) {
      thread.post({ kind: 'start', ...shared })
      if (mayScore()) thread.post({ kind: 'score' })
    },
    onMessage(message) {
      if (message.kind === 'checked') {
        checkedAt = performance.now()
        return
      }
      onUpdate(message)
      if (message.kind === 'month') return
      snapshot = message.snapshot
      first.resolve()
    },
  })
  return {
    ...thread,
    snapshot: () => snapshot,
    readMetrics: () => readSnapshot(snapshot, (performance.now() - checkedAt) / 1000),
    /** Resolves with the first snapshot. */
    first: first.promise,
  }
}

const readSnapshot = (snapshot: Snapshot | undefined, age: number): Family[] => [
  gauge('passportd_snapshot_passports', 'Passports in the ranking.', snapshot?.ids.length ?? 0),
  gauge('passportd_snapshot_age_seconds', 'Time since the ranking was last up to date.', age),
]

type BoundPort = { port: number; url: string }
type ServerThread = ReturnType<typeof startServerThread>

type ServerThreadOptions = {
  config: Config
  log: Log
  sums: ReturnType<typeof createMetricSums>
  windows: Int32Array<SharedArrayBuffer>
  damage: Damage
  background: Background
  connectAll: (server: { post: Post }) => void
}

function startServerThread(options: ServerThreadOptions) {
  const { config, log, sums, windows, damage, background, connectAll } = options
  const started = Promise.withResolvers<BoundPort>()
  let { port } = config
  let isStarted = false

  function fail(reason: string, worker: Worker): void {
    started.reject(new CommandError(reason))
    if (!isStarted) return
    log.error(`The server-thread could not be restarted: ${reason}`)
    worker.terminate()
  }

  const thread = startThread<FromServer, ToServer>({
    name: 'server-thread',
    log,
    onStart(thread) {
      const snapshot = background.snapshot() as Snapshot
      thread.post({ kind: 'start', config: { ...config, port }, windows, snapshot, damage })
      connectAll(thread)
    },
    onMessage(message, worker) {
      if (message.kind === 'usage') background.post(message)
      else if (message.kind === 'metrics') sums.set(worker, message.families)
      else if (message.kind === 'failed') fail(message.reason, worker)
      else {
        isStarted = true
        port = message.port
        started.resolve(message)
      }
    },
    onEnd: sums.end,
  })
  return { ...thread, started: started.promise }
}
