import type { Part } from './part.ts'
import { backup } from './parts/backup.ts'
import { badFiles } from './parts/bad-files.ts'
import { clockBack } from './parts/clock-back.ts'
import { connections } from './parts/connections.ts'
import { crash } from './parts/crash.ts'
import { diskFullImport } from './parts/disk-full-import.ts'
import { diskFullServe } from './parts/disk-full-serve.ts'
import { drain } from './parts/drain.ts'
import { expensive } from './parts/expensive.ts'
import { garbage } from './parts/garbage.ts'
import { killImport } from './parts/kill-import.ts'
import { killMirror } from './parts/kill-mirror.ts'
import { killScorer } from './parts/kill-scorer.ts'
import { killServer } from './parts/kill-server.ts'
import { pipeline } from './parts/pipeline.ts'
import { postgres } from './parts/postgres.ts'
import { redis } from './parts/redis.ts'
import { rolling } from './parts/rolling.ts'
import { slow } from './parts/slow.ts'
import { soak } from './parts/soak.ts'

/** In the order in which they are run. */
export const PARTS: readonly Part[] = [
  killImport,
  killScorer,
  killMirror,
  killServer,
  backup,
  diskFullImport,
  diskFullServe,
  badFiles,
  clockBack,
  postgres,
  redis,
  connections,
  pipeline,
  slow,
  garbage,
  expensive,
  drain,
  rolling,
  crash,
  soak,
]
