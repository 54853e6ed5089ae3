import type { Part } from './part.ts'

/** In the order in which they are run. */
export const PARTS: readonly Part[] = []
