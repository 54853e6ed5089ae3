import { isoTime } from '../../core/basics/text/instant.ts'
import { defineData } from '../../core/store/data.ts'
import { addAuditEntry } from '../../core/store/sql/audit-log.ts'
import { getSetting, setSetting } from '../../core/store/sql/settings.ts'
import type { Store } from '../../core/store/store.ts'
import { NO_PLAN, type RetirementPlan } from './plan.ts'

const RETIREMENT = 'retirement'

export const PLAN = defineData({
  name: 'retirement',
  open: ({ read, transaction }) => ({
    find: async () => parsePlan(await getSetting(read.query, RETIREMENT)),
    save: (plan: RetirementPlan): Promise<void> =>
      transaction(async ({ query }) => {
        const before = toDetail(parsePlan(await getSetting(query, RETIREMENT)) ?? NO_PLAN)
        const changed = Object.entries(toDetail(plan)).filter(
          ([name, value]) => !Bun.deepEquals(value, before[name]),
        )
        await addAuditEntry(query, { action: 'retirement.set', detail: Object.fromEntries(changed) })
        await setSetting(query, RETIREMENT, JSON.stringify(plan))
      }),
  }),
})

/** The successor of an exempt key is exempt, too. */
export async function exemptSuccessor({ data }: Store, id: string, successor: string): Promise<void> {
  const plan = await data(PLAN).find()
  if (plan?.exempt.includes(id)) await data(PLAN).save({ ...plan, exempt: [...plan.exempt, successor] })
}

const parsePlan = (text = 'null'): RetirementPlan | undefined => JSON.parse(text) ?? undefined

/** The plan as the audit log shows it. */
const toDetail = (plan: RetirementPlan): Record<string, unknown> => ({
  deprecated: isoTime(plan.deprecatedAt),
  sunset: isoTime(plan.sunsetAt),
  successor: plan.successor ?? null,
  notice: plan.notice ?? null,
  brownouts: plan.brownouts.map(({ start, end }) => `${isoTime(start)}/${isoTime(end)}`),
  exempt: plan.exempt,
})
