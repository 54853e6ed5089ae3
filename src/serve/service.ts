import { createWindowMemory } from '../api/fixed-window.ts'
import type { Family } from '../api/prometheus.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config.ts'
import { CommandError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type {
  FromBackground,
  FromPictures,
  FromSearch,
  FromServer,
  LogMessage,
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
  now: () => number
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
  const { config, workers, store, log, now } = options
  const sums = createMetricSums()
  const metrics = await startMetrics(config, {
    store,
    now,
    readThreads: () => [...sums.read(), ...background.readMetrics()],
  })
  const windows = createWindowMemory()
  const servers: ServerThread[] = []
  const background = startBackground(config, log, (message) => {
    if (message.kind === 'snapshot') search.post(message)
    for (const server of servers) server.post(message)
  })
  /** A restarted search or picture thread is connected to all servers again. */
  const search = startSearch(config, log, background.snapshot, () => servers.forEach(connectSearch))
  const pictures = config.explorer ? startPictures(log, () => servers.forEach(connectPictures)) : undefined

  function connectSearch(server: Pick<ServerThread, 'post'>): void {
    const { port1, port2 } = new MessageChannel()
    search.post({ kind: 'connect', port: port1 }, [port1])
    server.post({ kind: 'search', port: port2 }, [port2])
  }

  function connectPictures(server: Pick<ServerThread, 'post'>): void {
    const { port1, port2 } = new MessageChannel()
    pictures?.post({ kind: 'connect', port: port1 }, [port1])
    server.post({ kind: 'pictures', port: port2 }, [port2])
  }

  function connect(server: Pick<ServerThread, 'post'>): void {
    connectSearch(server)
    connectPictures(server)
  }

  function addServer(port: number): ServerThread {
    return startServerThread({ config: { ...config, port }, log, sums, windows, background, connect })
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
    background.post({ kind: 'score' })
    return {
      url: new URL(url),
      metricsUrl: metrics?.url,
      total: background.snapshot()?.ids.length ?? 0,
      renewTls: () => servers.forEach((server) => void server.post({ kind: 'renew-tls' })),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const writeLog = (log: Log, { level, message, fields }: LogMessage) => log[level](message, fields)

function startSearch(config: Config, log: Log, snapshot: () => Snapshot | undefined, onStart: () => void) {
  let stopped: PromiseWithResolvers<void>
  const thread = startThread<FromSearch, ToSearch>({
    name: 'search-thread',
    log,
    onStart(thread) {
      stopped = Promise.withResolvers()
      thread.post({ kind: 'start', config })
      const current = snapshot()
      if (current) thread.post({ kind: 'snapshot', snapshot: current })
      onStart()
    },
    onMessage: () => stopped.resolve(),
    onEnd: () => stopped.resolve(),
  })
  return { post: thread.post, stop: () => thread.stop({ kind: 'stop' }, stopped.promise) }
}

function startPictures(log: Log, onStart: () => void) {
  let stopped: PromiseWithResolvers<void>
  const thread = startThread<FromPictures, ToPictures>({
    name: 'picture-thread',
    log,
    onStart() {
      stopped = Promise.withResolvers()
      onStart()
    },
    onMessage: () => stopped.resolve(),
    onEnd: () => stopped.resolve(),
  })
  return { post: thread.post, stop: () => thread.stop({ kind: 'stop' }, stopped.promise) }
}

type Background = ReturnType<typeof startBackground>

function startBackground(
  config: Config,
  log: Log,
  onUpdate: (message: FromBackground & { kind: 'snapshot' | 'month' }) => void,
) {
  const first = Promise.withResolvers<void>()
  let stopped: PromiseWithResolvers<void>
  let snapshot: Snapshot | undefined
  let checkedAt = performance.now()
  let mayScore = false
  const thread = startThread<FromBackground, ToBackground>({
    name: 'background-thread',
    log,
    onStart(thread) {
      stopped = Promise.withResolvers()
      thread.post({ kind: 'start', config })
      if (mayScore) thread.post({ kind: 'score' })
    },
    onMessage(message) {
      if (message.kind === 'log') return writeLog(log, message)
      if (message.kind === 'stopped') return stopped.resolve()
      if (message.kind === 'checked') {
        checkedAt = performance.now()
        return
      }
      onUpdate(message)
      if (message.kind === 'month') return
      snapshot = message.snapshot
      first.resolve()
    },
    onEnd: () => stopped.resolve(),
  })
  return {
    snapshot: () => snapshot,
    readMetrics: () => readSnapshot(snapshot, (performance.now() - checkedAt) / 1000),
    /** Resolves with the first snapshot. */
    first: first.promise,
    post(message: ToBackground): void {
      mayScore ||= message.kind === 'score'
      thread.post(message)
    },
    stop: () => thread.stop({ kind: 'stop' }, stopped.promise),
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
  connect: (server: { post: Post }) => void
}

type Post = (message: ToServer, transfer?: Transferable[]) => void

function startServerThread({ config, log, sums, windows, background, connect }: ServerThreadOptions) {
  const started = Promise.withResolvers<BoundPort>()
  let stopped: PromiseWithResolvers<void>
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
      stopped = Promise.withResolvers()
      const snapshot = background.snapshot() as Snapshot
      thread.post({ kind: 'start', config: { ...config, port }, windows, snapshot })
      connect(thread)
    },
    onMessage(message, worker) {
      if (message.kind === 'log') writeLog(log, message)
      else if (message.kind === 'usage') background.post(message)
      else if (message.kind === 'metrics') sums.set(worker, message.families)
      else if (message.kind === 'failed') fail(message.reason, worker)
      else if (message.kind === 'stopped') stopped.resolve()
      else {
        isStarted = true
        port = message.port
        started.resolve(message)
      }
    },
    onEnd(worker) {
      sums.end(worker)
      stopped.resolve()
    },
  })
  return {
    started: started.promise,
    post: thread.post,
    stop: () => thread.stop({ kind: 'stop' }, stopped.promise),
  }
}
