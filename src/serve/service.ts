import type { Family } from '../api/prometheus.ts'
import { createWindowMemory } from '../api/rate-limit.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import { tlsProblems } from '../config/tls-files.ts'
import { CommandError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createDamage, type Damage } from './damage.ts'
import type {
  CalledThread,
  ConnectMessage,
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

/** What the threads of this process share. */
type Node = {
  readonly config: Config
  readonly log: Log
  readonly damage: Damage
  readonly windows: Int32Array<SharedArrayBuffer>
  readonly sums: ReturnType<typeof createMetricSums>
  readonly servers: ServerThread[]
  snapshot: Snapshot | undefined
  /** When the snapshot was last up to date. */
  checkedAt: number
  /** Whether all servers listen: scoring and indexing must not delay the start. */
  isStarted: boolean
}

/** Starts the threads of the service: writer, search, pictures and servers. Throws if a server cannot start. */
export async function startService(options: Options): Promise<Service> {
  const { config, workers, log } = options
  const node: Node = {
    config,
    log,
    damage: createDamage(),
    windows: createWindowMemory(),
    sums: createMetricSums(),
    servers: [],
    snapshot: undefined,
    checkedAt: performance.now(),
    isStarted: false,
  }
  const { servers, damage } = node
  const readThreads = () => [...node.sums.read(), ...readSnapshot(node)]
  const metrics = await startMetrics(config, { store: options.store, log, damage, readThreads })
  const firstSnapshot = Promise.withResolvers<void>()
  const writer = startWriter(node, (message) => {
    search.post(message)
    firstSnapshot.resolve()
  })
  const search = startSearch(node)
  const pictures = config.explorer ? startPictures(node) : undefined
  const called: Called = { writer, search, ...(pictures && { pictures }) }
  let check: ReturnType<typeof startCheck> | undefined

  async function stop(): Promise<void> {
    check?.terminate()
    await Promise.all(servers.map((server) => server.stop()))
    await writer.stop()
    await search.stop()
    await pictures?.stop()
    await metrics?.stop()
  }

  try {
    await firstSnapshot.promise
    // The first server gets the port from the system if PORT is 0.
    const first = startServerThread(node, called, config.port)
    servers.push(first)
    const { port, url } = await first.started
    while (servers.length < workers) servers.push(startServerThread(node, called, port))
    await Promise.all(servers.map(({ started }) => started))
    await options.beforeScoring?.()
    node.isStarted = true
    writer.post({ kind: 'score' })
    search.post({ kind: 'index' })
    if (config.database.engine === 'sqlite') check = startCheck(node)
    return {
      url: new URL(url),
      metricsUrl: metrics?.url,
      total: node.snapshot?.ids.length ?? 0,
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

const readSnapshot = ({ snapshot, checkedAt }: Node): Family[] => [
  gauge('passportd_snapshot_passports', 'Passports in the ranking.', snapshot?.ids.length ?? 0),
  gauge(
    'passportd_snapshot_age_seconds',
    'Time since the ranking was last up to date.',
    (performance.now() - checkedAt) / 1000,
  ),
]

type Connectable<To> = { post: (message: To, transfer: Transferable[]) => void }
type Called = Partial<Record<CalledThread, Connectable<ConnectMessage>>>

/** Opens a channel between a thread and a server thread; again when one of them was restarted. */
function connect(
  thread: CalledThread,
  called: Connectable<ConnectMessage>,
  server: Connectable<ToServer>,
): void {
  const { port1, port2 } = new MessageChannel()
  called.post({ kind: 'connect', port: port1 }, [port1])
  server.post({ kind: 'connect', thread, port: port2 }, [port2])
}

function connectAll(thread: CalledThread, called: Connectable<ConnectMessage>, { servers }: Node): void {
  for (const server of servers) connect(thread, called, server)
}

function startWriter(node: Node, onSnapshot: (message: FromWriter & { kind: 'snapshot' }) => void) {
  const { config, damage, log, servers } = node
  return startThread<FromWriter, ToWriter>({
    name: 'writer-thread',
    log,
    onStart(thread) {
      thread.post({ kind: 'start', config, damage })
      if (node.isStarted) thread.post({ kind: 'score' })
      connectAll('writer', thread, node)
    },
    onMessage(message) {
      if (message.kind === 'checked') {
        node.checkedAt = performance.now()
        return
      }
      for (const server of servers) server.post(message)
      if (message.kind === 'month') return
      node.snapshot = message.snapshot
      onSnapshot(message)
    },
  })
}

const startSearch = (node: Node) =>
  startThread<FromThread, ToSearch>({
    name: 'search-thread',
    log: node.log,
    onStart(thread) {
      const { config, snapshot, isStarted } = node
      thread.post({ kind: 'start', config })
      if (snapshot) thread.post({ kind: 'snapshot', snapshot })
      if (isStarted) thread.post({ kind: 'index' })
      connectAll('search', thread, node)
    },
  })

const startPictures = (node: Node) =>
  startThread<FromThread, ToPictures>({
    name: 'picture-thread',
    log: node.log,
    onStart: (thread) => connectAll('pictures', thread, node),
  })

function startCheck({ config, damage, log }: Node) {
  const thread = startThread<FromCheck, ToCheck>({
    name: 'check-thread',
    log,
    onStart: ({ post }) => post({ config, damage }),
    onMessage: () => thread.terminate(),
  })
  return thread
}

type ServerThread = ReturnType<typeof startServerThread>

function startServerThread(node: Node, called: Called, givenPort: number) {
  const { config, log, sums, windows, damage } = node
  const started = Promise.withResolvers<{ port: number; url: string }>()
  let port = givenPort
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
    onStart(server) {
      const snapshot = node.snapshot as Snapshot
      server.post({ kind: 'start', config: { ...config, port }, windows, snapshot, damage })
      for (const [kind, thread] of Object.entries(called)) connect(kind as CalledThread, thread, server)
    },
    onMessage(message, worker) {
      if (message.kind === 'metrics') sums.set(worker, message.families)
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
