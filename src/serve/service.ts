import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../core/basics/errors.ts'
import { createWindowMemory } from '../core/basics/fixed-window.ts'
import { type Job, supervise } from '../core/basics/jobs.ts'
import type { Log } from '../core/basics/log.ts'
import { tlsProblems } from '../core/config/check-tls-files.ts'
import type { Config } from '../core/config/config.ts'
import { type Family, gauge } from '../core/http/prometheus-text.ts'
import { createIndexState } from '../core/index/calls.ts'
import { createDamage } from '../core/store/damage.ts'
import type { Store } from '../core/store/store.ts'
import { startThread, type ThreadOptions } from '../core/threads/thread.ts'
import type { FeatureThread } from '../feature.ts'
import { FEATURES } from '../features.ts'
import { createMetricSums, startMetrics } from './metrics-server.ts'

type Options = {
  config: Config
  workers: number
  store: Store
  log: Log
  /** Ends the wait for the index before servers listen; by default it is short. Without an index, lists are refused. */
  patience?: Promise<void>
  /** Called when all servers listen, before scoring begins. */
  beforeScoring?: () => Promise<void>
}

/** A load of a saved index takes a second. */
const PATIENCE_MILLISECONDS = 3000

export type Service = Awaited<ReturnType<typeof startService>>

type Thread = ReturnType<typeof startThread>

type Node = ReturnType<typeof createNode>

const THREAD_FILES = {
  'server-thread': 'serve/server-thread.ts',
  'writer-thread': 'serve/writer-thread.ts',
  'index-thread': 'serve/index-thread.ts',
  'damage-thread': 'serve/damage-thread.ts',
}

type ThreadDeclaration = Pick<FeatureThread, 'name' | 'file' | 'isTerminated'>

const ownThread = (name: keyof typeof THREAD_FILES): ThreadDeclaration => ({ name, file: THREAD_FILES[name] })

const FEATURE_THREADS = FEATURES.flatMap(({ threads = [] }) => threads)

const THREADS_MILLISECONDS = 1000

/** Creates the state that the threads of this process share. */
const createNode = ({ config, log, store }: Options) => ({
  config,
  log,
  store,
  damage: createDamage(),
  index: createIndexState(),
  indexed: Promise.withResolvers<void>(),
  nextIndex: undefined as Thread | undefined,
  windows: createWindowMemory(),
  sums: createMetricSums(),
  servers: [] as Thread[],
  /** The threads that server threads call. */
  called: new Map<string, Thread>(),
  /** The other threads of features, by name. */
  others: new Map<string, Thread>(),
  stop: new AbortController(),
  /** If it is 0, the system chooses the port of the first server. */
  port: config.port,
  /** How many passports the index has, and when it was last up to date. */
  listed: { passports: 0, at: performance.now() },
  /** Whether all servers listen. Scoring begins only then. */
  isStarted: false,
})

/** Starts the threads of the service: writer, pictures, index and servers. Throws if a server cannot start. */
export async function startService(options: Options) {
  const { config, workers, log } = options
  const node = createNode(options)
  const { servers, damage } = node
  const readThreads = () => [...node.sums.read(), ...readIndex(node)]
  const metrics = await startMetrics(config, { store: options.store, log, damage, readThreads })
  const writer = startCalled(node, ownThread('writer-thread'))
  for (const thread of FEATURE_THREADS)
    if (thread.client && (await thread.isNeeded(config, options.store))) startCalled(node, thread)
  startIndex(node)
  let damageCheck: Thread | undefined
  let others: Promise<void> | undefined

  async function stop(): Promise<void> {
    node.stop.abort()
    await others
    for (const thread of [damageCheck, node.nextIndex]) thread?.terminate()
    await Promise.all([...servers, ...node.others.values()].map((thread) => thread.stop()))
    for (const thread of node.called.values()) await thread.stop()
    await metrics?.stop()
  }

  try {
    await Promise.race([
      node.indexed.promise,
      options.patience ?? sleep(PATIENCE_MILLISECONDS, undefined, { ref: false }),
    ])
    const url = await startServer(node)
    await Promise.all(Array.from({ length: workers - 1 }, () => startServer(node)))
    await options.beforeScoring?.()
    node.isStarted = true
    writer.post({ kind: 'started' })
    if (config.database.engine === 'sqlite')
      damageCheck = start(node, ownThread('damage-thread'), { onMessage: () => damageCheck?.terminate() })
    others = supervise([startOthers(node)], { log, signal: node.stop.signal, onError: () => undefined })
    return {
      url: new URL(url),
      metricsUrl: metrics?.url,
      total: node.listed.passports,
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

const readIndex = ({ listed: { passports, at } }: Node): Family[] => [
  gauge('passportd_index_passports', 'Passports in the index.', passports),
  gauge(
    'passportd_index_age_seconds',
    'Time since the index was last up to date.',
    (performance.now() - at) / 1000,
  ),
]

/** Opens a channel between a server thread and a thread that it calls. */
function connectThreads(thread: string, called: Pick<Thread, 'post'>, server: Pick<Thread, 'post'>): void {
  const { port1, port2 } = new MessageChannel()
  called.post({ kind: 'connect', thread, port: port1 }, [port1])
  server.post({ kind: 'connect', thread, port: port2 }, [port2])
}

/** Starts a thread whose metrics are part of the sums. Calls `onStart` after the start message was sent. */
const start = (
  node: Node,
  thread: ThreadDeclaration,
  { onStart, onMessage }: Partial<ThreadOptions> = {},
): Thread =>
  startThread({
    ...thread,
    log: node.log,
    onStart(started) {
      const { config, damage, index, windows, port } = node
      started.post({ kind: 'start', config: { ...config, port }, damage, index, windows })
      onStart?.(started)
    },
    onMessage(message, worker) {
      if (message.kind === 'metrics') node.sums.set(worker, message.families)
      else onMessage?.(message, worker)
    },
    onEnd: node.sums.end,
  })

/** Starts a thread that server threads call. */
function startCalled(node: Node, declaration: ThreadDeclaration): Thread {
  const thread = start(node, declaration, {
    onStart(called) {
      if (node.isStarted) called.post({ kind: 'started' })
      for (const server of node.servers) connectThreads(declaration.name, called, server)
    },
  })
  node.called.set(declaration.name, thread)
  return thread
}

/** Starts the other threads of features, each when it is needed first. */
const startOthers = (node: Node): Job => ({
  name: 'Threads cannot be started',
  interval: THREADS_MILLISECONDS,
  async run() {
    for (const thread of FEATURE_THREADS)
      if (!thread.client && !node.others.has(thread.name) && (await thread.isNeeded(node.config, node.store)))
        node.others.set(thread.name, start(node, thread))
  },
})

/**
 * Starts an index thread. When its index is ready, it takes over: it answers the server threads, and the one before is
 * stopped.
 */
function startIndex(node: Node): void {
  const thread = start(node, ownThread('index-thread'), {
    onMessage(message) {
      if (message.kind === 'current') node.listed = { passports: message.passports, at: performance.now() }
      if (message.kind === 'outdated') startIndex(node)
      if (message.kind !== 'indexed') return
      const before = node.called.get('index-thread')
      node.called.set('index-thread', thread)
      for (const server of node.servers) connectThreads('index-thread', thread, server)
      node.nextIndex = undefined
      node.indexed.resolve()
      if (!before || before === thread) return
      node.log.info('A new index thread took over.')
      void before.stop()
    },
  })
  node.nextIndex = thread
}

/** Starts a server thread. Returns its URL when it listens. */
function startServer(node: Node): Promise<string> {
  const started = Promise.withResolvers<string>()
  let isStarted = false

  function fail(reason: string, worker: Worker): void {
    started.reject(new CommandError(reason))
    if (!isStarted) return
    node.log.error(`The server-thread could not be restarted: ${reason}`)
    worker.terminate()
  }

  const thread = start(node, ownThread('server-thread'), {
    onStart(server) {
      for (const [name, called] of node.called) connectThreads(name, called, server)
    },
    onMessage(message, worker) {
      if (message.kind === 'failed') fail(message.reason, worker)
      if (message.kind !== 'listening') return
      isStarted = true
      node.port = message.port
      started.resolve(message.url)
    },
  })
  node.servers.push(thread)
  return started.promise
}
