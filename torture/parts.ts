import type { Part } from './part.ts'
import { backup } from './parts/backup.ts'

/** In the order in which they are run. */
export const PARTS: readonly Part[] = [backup]
