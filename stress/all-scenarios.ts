import type { Scenario } from './run-scenario.ts'
import { backup } from './scenarios/backup.ts'
import { badFiles } from './scenarios/bad-database-files.ts'
import { asOf } from './scenarios/clients/as-of.ts'
import { eventStreams } from './scenarios/clients/event-streams.ts'
import { largePages } from './scenarios/clients/large-pages.ts'
import { largestPassports } from './scenarios/clients/largest-passports.ts'
import { lookup } from './scenarios/clients/lookup.ts'
import { rateLimitSlots } from './scenarios/clients/many-rate-limited-clients.ts'
import { notModified } from './scenarios/clients/not-modified.ts'
import { worst } from './scenarios/clients/worst-requests.ts'
import { clockBack } from './scenarios/clock-back.ts'
import { consistentPages } from './scenarios/consistent-pages.ts'
import { diskFullImport } from './scenarios/disk-full-import.ts'
import { diskFullServe } from './scenarios/disk-full-serve.ts'
import { drain } from './scenarios/drain.ts'
import { expensive } from './scenarios/expensive-requests.ts'
import { haFailover } from './scenarios/ha/ha-failover.ts'
import { killAndVerifyLog } from './scenarios/kill/kill-and-verify-log.ts'
import { killEventWriters } from './scenarios/kill/kill-event-writers.ts'
import { killHttpWriters } from './scenarios/kill/kill-http-writers.ts'
import { killImport } from './scenarios/kill/kill-import.ts'
import { killMigration } from './scenarios/kill/kill-migration.ts'
import { killMirror } from './scenarios/kill/kill-mirror.ts'
import { killScorer } from './scenarios/kill/kill-scorer.ts'
import { killServer } from './scenarios/kill/kill-server.ts'
import { killWebhookSender } from './scenarios/kill/kill-webhook-sender.ts'
import { largeRecords } from './scenarios/large-records.ts'
import { garbage } from './scenarios/malformed-input.ts'
import { model } from './scenarios/model/model.ts'
import { newRelease } from './scenarios/new-release.ts'
import { postgresConnections } from './scenarios/postgres-connections.ts'
import { postgres } from './scenarios/postgres-outages.ts'
import { soak } from './scenarios/soak.ts'
import { threadCrash } from './scenarios/thread-crash.ts'
import { unreadLog } from './scenarios/unread-log.ts'

/** In the order of execution. */
export const SCENARIOS: readonly Scenario[] = [
  killImport,
  killScorer,
  killMirror,
  killMigration,
  killServer,
  backup,
  diskFullImport,
  diskFullServe,
  badFiles,
  clockBack,
  postgres,
  postgresConnections,
  haFailover,
  garbage,
  expensive,
  drain,
  newRelease,
  threadCrash,
  largePages,
  largestPassports,
  notModified,
  rateLimitSlots,
  consistentPages,
  unreadLog,
  soak,
  largeRecords,
  killEventWriters,
  killAndVerifyLog,
  killHttpWriters,
  killWebhookSender,
  lookup,
  asOf,
  eventStreams,
  worst,
  model,
]
