import { createWindowMemory } from '../api/fixed-window.ts'
import type { Family } from '../api/prometheus.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config.ts'
import { CommandError } from '../domain/errors.ts'
import { tlsProblems } from '../domain/settings/tls-files.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type {
  FromBackground,
  FromServer,
  FromThread,
  ToBackground,
  ToPictures,
  ToSearch,
  ToServer,
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
  const metrics = await startMetrics(config, {
    store,
    log,
    readThreads: () => [...sums.read(), ...background.readMetrics()],
  })
  const windows = createWindowMemory()
  const servers: ServerThread[] = []
  /** Whether all servers listen: scoring and indexing must not delay the start. */
  let isStarted = false
  const background = startBackground(config, log, {
    mayScore: () => isStarted,
    onUpdate(message) {
      if (message.kind === 'snapshot') search.post(message)
      for (const server of servers) server.post(message)
    },
  })
  const search = startThread<FromThread, ToSearch>({
    name: 'search-thread',
    log,
    onStart(thread) {
      thread.post({ kind: 'start', config })
      const snapshot = background.snapshot()
      if (snapshot) thread.post({ kind: 'snapshot', snapshot })
      if (isStarted) thread.post({ kind: 'index' })
      for (const server of servers) connect('search', thread, server)
    },
  })
  const pictures = config.explorer ? startPictures(log, servers) : undefined

  function addServer(port: number): ServerThread {
    const connectAll = (server: { post: Post }) => {
      connect('search', search, server)
      if (pictures) connect('pictures', pictures, server)
    }
    return startServerThread({ config: { ...config, port }, log, sums, windows, background, connectAll })
  }

  async function stop(): Promise<void> {
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

const startPictures = (log: Log, servers: readonly ServerThread[]) =>
  startThread<FromThread, ToPictures>({
    name: 'picture-thread',
    log,
    onStart(thread) {
      for (const server of servers) connect('pictures', thread, server)
    },
  })

type Background = ReturnType<typeof startBackground>

type BackgroundOptions = {
  mayScore: () => boolean
  onUpdate: (message: FromBackground & { kind: 'snapshot' | 'month' }) => void
}

function startBackground(config: Config, log: Log, { mayScore, onUpdate }: BackgroundOptions) {
  const first = Promise.withResolvers<void>()
  let snapshot: Snapshot | undefined
  let checkedAt = performance.now()
  const thread = startThread<FromBackground, ToBackground>({
    name: 'background-thread',
    log,
    onStart(thread) {
      thread.post({ kind: 'start', config })
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
  background: Background
  connectAll: (server: { post: Post }) => void
}

function startServerThread({ config, log, sums, windows, background, connectAll }: ServerThreadOptions) {
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
      thread.post({ kind: 'start', config: { ...config, port }, windows, snapshot })
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
