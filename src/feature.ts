import type { TSchema } from 'typebox'
import type { Awaitable } from './core/basics/awaitable.ts'
import type { Job } from './core/basics/jobs.ts'
import type { Log } from './core/basics/log.ts'
import type { CheckResult } from './core/cli/check-result.ts'
import type { Command } from './core/cli/command.ts'
import type { Commands } from './core/cli/run-command.ts'
import type { Config } from './core/config/config.ts'
import type { EventLog } from './core/history/event.ts'
import type { Family } from './core/http/prometheus-text.ts'
import type { RequestCounter } from './core/http/request-counter.ts'
import type { Examples, Guard, Route } from './core/http/route.ts'
import type { AnyQuestion } from './core/index/calls.ts'
import type { AnyData } from './core/store/data.ts'
import type { Store } from './core/store/store.ts'
import type { Asset } from './ui/assets-and-csp.ts'
import type { Html } from './ui/html.ts'
import type { ExplorerOptions } from './ui/page.ts'
import type { Link } from './ui/site.ts'

/**
 * A part of the service: its folder below src/features and its line in features.ts. Its `index.ts` loads nothing else.
 */
export type Feature = {
  /** The name of its folder. */
  name: string
  /** The features whose files it imports. */
  needs?: readonly Feature[]
  /** Loaded when a command runs. */
  commands?: Readonly<Record<string, (features: readonly Feature[]) => Promise<Command>>>
  /** What doctor checks besides the database. */
  checks?: () => Promise<(config: Config) => readonly CheckResult[]>
  /** Loaded by the writer thread, which runs the writes. */
  data?: () => Promise<readonly AnyData[]>
  /** Loaded by the index thread, which answers them. */
  questions?: () => Promise<readonly AnyQuestion[]>
  /** Loaded by the threads that serve requests, and by no other one: schemas load slowly. */
  serve?: () => Promise<Serving>
  /** What happens before the threads of `serve` start. */
  prepare?: () => Promise<(use: UseOfStart) => Awaitable<Preparation>>
  /** Threads besides those of `serve`. */
  threads?: readonly FeatureThread[]
  /** Loaded by the writer thread, which runs them. */
  jobs?: () => Promise<(use: UseOfWriter) => readonly Job[]>
  /** Gives the successor of a rotated key what the key has. */
  passOnKey?: () => Promise<(store: Store, id: string, successor: string) => Promise<void>>
  /** Metrics of the database, read once for all threads. */
  metrics?: () => Promise<(store: Store, log: EventLog) => Promise<readonly Family[]>>
}

/** The start of `serve`. What is prepared may complete the settings. */
export type UseOfStart = { config: Config; demo: boolean; now: () => number }

export type Preparation = {
  /** Runs before the threads start. */
  beforeThreads?: (store: Store) => Promise<void>
  /** Runs when all servers listen, before scoring begins. */
  beforeScoring?: (store: Store) => Promise<void>
}

export type FeatureThread = {
  name: string
  /** Its path below src. */
  file: string
  /** The thread is started when it is needed first. */
  isNeeded: (config: Config, store: Store) => Awaitable<boolean>
  /** Creates its client in each thread that serves requests. The thread gets a port of each client. */
  client?: () => Promise<ThreadClient>
  /** It is ended instead of asked to stop, because it does not respond while it works. */
  isTerminated?: true
}

export type ThreadClient = { connect: (port: MessagePort) => void }

export type UseOfWriter = { config: Config; store: Store; log: Log; signal: AbortSignal }

/** Which of the frozen versions are served. */
export type ServedVersions = Partial<Pick<Config, 'compatV2' | 'compatLater'>>

/** What a feature adds to the threads that serve requests. */
export type Serving = {
  /** Whether the service has its calls; true by default. */
  isServed?: (config: ServedVersions) => boolean
  /** Calls of the API and files. Their handlers need only the context of a request. */
  routes?: readonly Route[]
  /** The examples of its calls by operation id, which are responses of the demo. */
  examples?: Readonly<Record<string, Examples>>
  /** The named schemas of its calls in the OpenAPI document. */
  schemas?: Readonly<Record<string, TSchema>>
  /** Parts of the style sheet of all pages. */
  styles?: readonly string[]
  /** Scripts and style sheets of its pages. */
  assets?: readonly Asset[]
  /** Entries of the menu and the footer. */
  links?: readonly Link[]
  /** Pages of passports, which a service without the explorer does not have. */
  pages?: (use: UseOfServer) => readonly Route[]
  /** The services from which it copies passports. */
  sources?: (store: Store) => Awaitable<readonly string[]>
  /** Other parts that need more than the context of a request. */
  start?: (use: UseOfServer) => Awaitable<Started>
}

export type Started = {
  routes?: readonly Route[]
  guard?: Guard
  /** A sentence about the versions that the guard is for, which the reference shows. */
  notice?: () => Html
  jobs?: readonly Job[]
}

/** The calls that the OpenAPI document describes. */
export type Api = { routes: readonly Route[]; schemas: Readonly<Record<string, TSchema>> }

/** What a feature gets of the thread in which it starts. */
export type UseOfServer = ExplorerOptions & {
  config: Config
  log: Log
  counter: RequestCounter
  /** The clients of the threads of features, by the names of the threads. */
  clients: Readonly<Record<string, ThreadClient>>
  api: Api
  /** The notice about versions that end, when all features have started. */
  notice: () => Html | undefined
}

export function commandsOf(features: readonly Feature[]): Commands {
  const loaders = features.flatMap(({ commands = {} }) => Object.entries(commands))
  return Object.fromEntries(loaders.map(([name, load]) => [name, () => load(features)]))
}

export async function clientsOf(features: readonly Feature[]): Promise<Record<string, ThreadClient>> {
  const threads = features.flatMap(({ threads = [] }) => threads)
  const clients = threads.map(async ({ name, client }) => (client ? [[name, await client()] as const] : []))
  return Object.fromEntries((await Promise.all(clients)).flat())
}

export const dataOf = async (features: readonly Feature[]): Promise<AnyData[]> =>
  (await Promise.all(features.map(({ data }) => data?.() ?? []))).flat()

export const jobsOf = async (features: readonly Feature[], use: UseOfWriter): Promise<Job[]> =>
  (await Promise.all(features.map(async ({ jobs }) => (await jobs?.())?.(use) ?? []))).flat()

export const preparationsOf = (features: readonly Feature[], use: UseOfStart): Promise<Preparation[]> =>
  Promise.all(features.map(async ({ prepare }) => (await prepare?.())?.(use) ?? {}))

export const questionsOf = async (features: readonly Feature[]): Promise<AnyQuestion[]> =>
  (await Promise.all(features.map(({ questions }) => questions?.() ?? []))).flat()

export const servingOf = async (features: readonly Feature[]): Promise<Serving[]> =>
  Promise.all(features.flatMap(({ serve }) => (serve ? [serve()] : [])))
