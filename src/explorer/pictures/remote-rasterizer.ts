import { overloaded } from '../../domain/errors.ts'
import { createCaller } from '../../thread-calls.ts'
import type { Png } from '../site/explorer-page.ts'

export type Drawing = { svg: string; width: number }

/** Pictures of one server thread that wait: about as many as the picture thread draws in ten seconds. SVGs have 5 to 10 KB. */
const LIMITS = { waiting: 160, milliseconds: 10_000 }

/** Sends SVGs to the picture thread. */
export function createRasterizerClient({ waiting, milliseconds } = LIMITS) {
  const ended = 'The picture thread ended.'
  const { send, connect } = createCaller<Drawing, Png>({ ended, mostWaiting: waiting })
  const limit = { milliseconds, error: () => overloaded('A picture waited too long.') }
  return {
    connect,
    rasterize: (svg: string, width: number, signal?: AbortSignal): Promise<Png> =>
      send({ svg, width }, { signal, limit }),
  }
}
