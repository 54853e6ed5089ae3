import { type Family, gauge } from '../api/prometheus-text.ts'
import { createWindowMemory } from '../api/rate-limit.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import { tlsProblems } from '../config/check-tls-files.ts'
import type { Config } from '../config/config.ts'
import { CommandError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createDamage } from './damage.ts'
import type { CalledThread, FromThread, StartMessage, ThreadMessage, ToThread } from './messages.ts'
import { createMetricSums, startMetrics } from './metrics-server.ts'
import { startThread } from './thread.ts'

type Options = {
  config: Config
  workers: number
  store: Store
  log: Log
  /** Called when all servers listen, before scoring begins. */
  beforeScoring?: () => Promise<void>
}

export type Service = Awaited<ReturnType<typeof startService>>

type Thread = ReturnType<typeof startThread<ToThread, FromThread>>
type ServerThread = Thread & { started: Promise<{ port: number; url: string }> }
type OtherMessage = Exclude<FromThread, ThreadMessage>

type Node = ReturnType<typeof createNode>

/** Creates the state that the threads of this process share. */
const createNode = ({ config, log }: Options) => ({
  config,
  log,
  damage: createDamage(),
  windows: createWindowMemory(),
  sums: createMetricSums(),
  servers: [] as ServerThread[],
  called: new Map<CalledThread, Thread>(),
  snapshot: undefined as Snapshot | undefined,
  /** When the snapshot was last up to date. */
  checkedAt: performance.now(),
  /** Whether all servers listen. Scoring and indexing begin only then. */
  isStarted: false,
})

/** Starts the threads of the service: writer, search, pictures and servers. Throws if a server cannot start. */
export async function startService(options: Options) {
  const { config, workers, log } = options
  const node = createNode(options)
  const { servers, damage } = node
  const readThreads = () => [...node.sums.read(), ...readSnapshot(node)]
  const metrics = await startMetrics(config, { store: options.store, log, damage, readThreads })
  const firstSnapshot = Promise.withResolvers<void>()
  const writer = startCalled(node, 'writer-thread', (message) => {
    if (message.kind === 'checked') node.checkedAt = performance.now()
    else if (message.kind === 'subscribed') delivery ??= startDelivery(node)
    else if (message.kind === 'snapshot' || message.kind === 'month')
      for (const thread of [search, ...servers]) thread.post(message)
    if (message.kind !== 'snapshot') return
    node.snapshot = message.snapshot
    firstSnapshot.resolve()
  })
  const search = startCalled(node, 'search-thread')
  if (config.explorer) startCalled(node, 'picture-thread')
  const independent: Thread[] = []
  let delivery: Thread | undefined

  async function stop(): Promise<void> {
    for (const thread of independent) thread.terminate()
    await Promise.all([...servers, ...(delivery ? [delivery] : [])].map((thread) => thread.stop()))
    for (const thread of node.called.values()) await thread.stop()
    await metrics?.stop()
  }

  try {
    await firstSnapshot.promise
    // If PORT is 0, the system chooses the port of the first server.
    const first = startServerThread(node, config.port)
    servers.push(first)
    const { port, url } = await first.started
    while (servers.length < workers) servers.push(startServerThread(node, port))
    await Promise.all(servers.map(({ started }) => started))
    await options.beforeScoring?.()
    node.isStarted = true
    for (const thread of [writer, search]) thread.post({ kind: 'started' })
    if (config.database.engine === 'sqlite') independent.push(startIndependent(node, 'check-thread'))
    if (config.backups) independent.push(startIndependent(node, 'backup-thread'))
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

/** Checks the TLS files once for all threads, so that problems are logged only once. */
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

/** Opens a channel between a server thread and a thread that it calls. */
function connect(thread: CalledThread, called: Pick<Thread, 'post'>, server: Pick<Thread, 'post'>): void {
  const { port1, port2 } = new MessageChannel()
  called.post({ kind: 'connect', thread, port: port1 }, [port1])
  server.post({ kind: 'connect', thread, port: port2 }, [port2])
}

function startMessage({ config, damage, windows, snapshot }: Node, port = config.port): StartMessage {
  return { kind: 'start', config: { ...config, port }, damage, windows, snapshot }
}

/** Starts a thread that server threads call. */
function startCalled(node: Node, name: CalledThread, onMessage?: (message: OtherMessage) => void): Thread {
  const thread = startThread({
    name,
    log: node.log,
    onStart(started) {
      started.post(startMessage(node))
      if (node.isStarted) started.post({ kind: 'started' })
      for (const server of node.servers) connect(name, started, server)
    },
    ...(onMessage && { onMessage }),
  })
  node.called.set(name, thread)
  return thread
}

/** Starts a thread that is never asked to stop, but terminated. The next start removes the file of an incomplete backup. */
function startIndependent(node: Node, name: 'check-thread' | 'backup-thread'): Thread {
  const thread = startThread({
    name,
    log: node.log,
    onStart: ({ post }) => post(startMessage(node)),
    onMessage(message, worker) {
      if (message.kind === 'metrics') node.sums.set(worker, message.families)
      else thread.terminate()
    },
    onEnd: node.sums.end,
  })
  return thread
}

/** Starts the thread that delivers webhooks. */
const startDelivery = (node: Node): Thread =>
  startThread({
    name: 'delivery-thread',
    log: node.log,
    onStart: ({ post }) => post(startMessage(node)),
    onMessage(message, worker) {
      if (message.kind === 'metrics') node.sums.set(worker, message.families)
    },
    onEnd: node.sums.end,
  })

function startServerThread(node: Node, givenPort: number): ServerThread {
  const { log, sums } = node
  const started = Promise.withResolvers<{ port: number; url: string }>()
  let port = givenPort
  let isStarted = false

  function fail(reason: string, worker: Worker): void {
    started.reject(new CommandError(reason))
    if (!isStarted) return
    log.error(`The server-thread could not be restarted: ${reason}`)
    worker.terminate()
  }

  const thread = startThread({
    name: 'server-thread',
    log,
    onStart(server) {
      server.post(startMessage(node, port))
      for (const [name, called] of node.called) connect(name, called, server)
    },
    onMessage(message, worker) {
      if (message.kind === 'metrics') sums.set(worker, message.families)
      else if (message.kind === 'failed') fail(message.reason, worker)
      else if (message.kind === 'listening') {
        isStarted = true
        port = message.port
        started.resolve(message)
      }
    },
    onEnd: sums.end,
  })
  return { ...thread, started: started.promise }
}
