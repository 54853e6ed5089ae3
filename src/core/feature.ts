import type { Commands } from './cli/run-command.ts'
import type { AnyQuestion } from './index/calls.ts'
import type { AnyData } from './store/data.ts'

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
}

export const commandsOf = (features: readonly Feature[]): Commands =>
  Object.assign({}, ...features.map(({ commands }) => commands))

export const dataOf = async (features: readonly Feature[]): Promise<AnyData[]> =>
  (await Promise.all(features.map(({ data }) => data?.() ?? []))).flat()

export const questionsOf = async (features: readonly Feature[]): Promise<AnyQuestion[]> =>
  (await Promise.all(features.map(({ questions }) => questions?.() ?? []))).flat()
