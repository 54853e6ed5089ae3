import type { TSchema } from 'typebox'
import type { Awaitable } from './core/basics/awaitable.ts'
import type { Job } from './core/basics/jobs.ts'
import type { Commands } from './core/cli/run-command.ts'
import type { Config } from './core/config/config.ts'
import type { Examples, Guard, Route } from './core/http/route.ts'
import type { AnyQuestion } from './core/index/calls.ts'
import type { AnyData } from './core/store/data.ts'
import type { Asset } from './ui/assets-and-csp.ts'
import type { Html } from './ui/html.ts'
import type { ExplorerOptions } from './ui/page.ts'
import type { Link } from './ui/site.ts'

/** A part of the service: its folder below src/features and its line in features.ts. Its `index.ts` loads nothing else. */
export type Feature = {
  /** The name of its folder. */
  name: string
  /** The features whose files it imports. */
  needs?: readonly Feature[]
  commands?: Commands
  /** Loaded by the writer thread, which runs the writes. */
  data?: () => Promise<readonly AnyData[]>
  /** Loaded by the index thread, which answers them. */
  questions?: () => Promise<readonly AnyQuestion[]>
  /** Loaded by the threads that serve requests, and by no other one: schemas load slowly. */
  serve?: () => Promise<Serving>
}

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
  config: Pick<Config, 'deprecatedAt'>
  api: Api
  /** The notice about versions that end, when all features have started. */
  notice: () => Html | undefined
}

export const commandsOf = (features: readonly Feature[]): Commands =>
  Object.assign({}, ...features.map(({ commands }) => commands))

export const dataOf = async (features: readonly Feature[]): Promise<AnyData[]> =>
  (await Promise.all(features.map(({ data }) => data?.() ?? []))).flat()

export const questionsOf = async (features: readonly Feature[]): Promise<AnyQuestion[]> =>
  (await Promise.all(features.map(({ questions }) => questions?.() ?? []))).flat()

export const servingOf = async (features: readonly Feature[]): Promise<Serving[]> =>
  Promise.all(features.flatMap(({ serve }) => (serve ? [serve()] : [])))
