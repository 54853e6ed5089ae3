import { expect, test } from 'bun:test'
import { logRetirement } from '../../../src/features/retire/job.ts'
import { NO_PLAN } from '../../../src/features/retire/plan.ts'
import { PLAN } from '../../../src/features/retire/statements.ts'
import { createLog } from '../../support/program/log.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'

test('the start and end of brownouts, and the removal and return of V1 are logged', async () => {
  await using store = await openTestStore('sqlite')
  const entries: object[] = []
  const write = (line: string) => void entries.push(JSON.parse(line))
  const log = createLog({ write, json: true, now: Date.now })
  const job = logRetirement(store, log)
  const [now, sunsetAt] = [Date.now(), NOON]
  const brownout = { start: now, end: now + 3_600_000 }
  for (const plan of [
    NO_PLAN,
    { ...NO_PLAN, brownouts: [brownout] },
    NO_PLAN,
    { ...NO_PLAN, sunsetAt },
    NO_PLAN,
  ]) {
    await store.data(PLAN).save(plan)
    await job.run(log)
  }
  expect(entries).toMatchObject([
    { message: `A brownout of V1 began: it responds 410 until ${new Date(brownout.end).toISOString()}.` },
    { message: 'The brownout of V1 ended.' },
    { message: 'V1 is removed: it responds 410.' },
    { message: 'V1 is no longer removed: it responds again.' },
  ])
})
