import type { Part } from './part.ts'
import { backup } from './parts/backup.ts'
import { postgres } from './parts/postgres.ts'
import { redis } from './parts/redis.ts'

/** In the order in which they are run. */
export const PARTS: readonly Part[] = [backup, postgres, redis]
