import type { Scenario } from './run-scenario.ts'
import { backup } from './scenarios/backup.ts'
import { eventStreams } from './scenarios/clients/event-streams.ts'
import { largestPassports } from './scenarios/clients/largest-passports.ts'
import { worst } from './scenarios/clients/worst-requests.ts'
import { clockBack } from './scenarios/clock-back.ts'
import { consistentPages } from './scenarios/consistent-pages.ts'
import { damagedFiles } from './scenarios/damaged-files.ts'
import { diskFullImport } from './scenarios/disk-full-import.ts'
import { diskFullServe } from './scenarios/disk-full-serve.ts'
import { drain } from './scenarios/drain.ts'
import { haFailover } from './scenarios/ha/ha-failover.ts'
import { killAndVerifyLog } from './scenarios/kill/kill-and-verify-log.ts'
import { killCommands } from './scenarios/kill/kill-commands.ts'
import { killEventWriters } from './scenarios/kill/kill-event-writers.ts'
import { killHttpWriters } from './scenarios/kill/kill-http-writers.ts'
import { killMigration } from './scenarios/kill/kill-migration.ts'
import { killServer } from './scenarios/kill/kill-server.ts'
import { killWebhookSender } from './scenarios/kill/kill-webhook-sender.ts'
import { garbage } from './scenarios/malformed-input.ts'
import { model } from './scenarios/model/model.ts'
import { newRelease } from './scenarios/new-release.ts'
import { postgresConnections } from './scenarios/postgres-connections.ts'
import { postgres } from './scenarios/postgres-outages.ts'
import { soak } from './scenarios/soak.ts'
import { threadCrash } from './scenarios/thread-crash.ts'

/** In the order of execution. */
export const SCENARIOS: readonly Scenario[] = [
  ...killCommands,
  killMigration,
  killServer,
  backup,
  diskFullImport,
  diskFullServe,
  damagedFiles,
  clockBack,
  postgres,
  postgresConnections,
  haFailover,
  garbage,
  drain,
  newRelease,
  threadCrash,
  largestPassports,
  consistentPages,
  soak,
  killEventWriters,
  killAndVerifyLog,
  killHttpWriters,
  killWebhookSender,
  eventStreams,
  worst,
  model,
]
