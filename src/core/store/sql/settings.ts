import { NO_PLAN, type RetirementPlan } from '../../../features/retire/plan.ts'
import { isoTime } from '../../basics/text/instant.ts'
import type { Store } from '../store.ts'
import { addAuditEntry } from './audit-log.ts'
import { type Database, listColumn, type Query } from './connection.ts'

/** The setting with the id of the database. */
const IDENTITY = 'database_id'

/** The setting with the retirement plan. */
const RETIREMENT = 'retirement'

/** The setting that names the source of a copy. It is not copied itself. */
export const COPYING = 'copying'

export async function getSetting(query: Query, name: string): Promise<string | undefined> {
  return (await listColumn<string>(query, 'select value from settings where name = $1', [name]))[0]
}

/** `undefined` removes the setting. */
export async function setSetting(query: Query, name: string, value: string | undefined): Promise<void> {
  if (value === undefined) return void (await query('delete from settings where name = $1', [name]))
  await query(
    'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  )
}

export function createSettingStores(
  read: Query,
  { write, transaction }: Database,
): Pick<Store, 'retirement' | 'identity' | 'copying'> {
  return {
    retirement: {
      find: () => findPlan(read),
      save: (plan) =>
        transaction(async ({ query }) => {
          const before = toDetail((await findPlan(query)) ?? NO_PLAN)
          const changed = Object.entries(toDetail(plan)).filter(
            ([name, value]) => !Bun.deepEquals(value, before[name]),
          )
          await addAuditEntry(query, { action: 'retirement.set', detail: Object.fromEntries(changed) })
          await setSetting(query, RETIREMENT, JSON.stringify(plan))
        }),
    },
    identity: {
      find: () => getSetting(read, IDENTITY),
      async create(id) {
        const insert = `insert into settings (name, value) values ($1, $2)
          on conflict (name) do update set value = settings.value returning value`
        return (await listColumn<string>(write, insert, [IDENTITY, id]))[0] ?? id
      },
    },
    copying: {
      find: () => getSetting(read, COPYING),
      note: (text) => setSetting(write, COPYING, text),
    },
  }
}

const findPlan = async (query: Query): Promise<RetirementPlan | undefined> =>
  JSON.parse((await getSetting(query, RETIREMENT)) ?? 'null') ?? undefined

/** The plan as the audit log shows it. */
const toDetail = (plan: RetirementPlan): Record<string, unknown> => ({
  deprecated: isoTime(plan.deprecatedAt),
  sunset: isoTime(plan.sunsetAt),
  successor: plan.successor ?? null,
  notice: plan.notice ?? null,
  brownouts: plan.brownouts.map(({ start, end }) => `${isoTime(start)}/${isoTime(end)}`),
  exempt: plan.exempt,
})
