import type { Job } from '../../core/basics/jobs.ts'
import { publicOriginOf } from '../../core/http/parse-request.ts'
import { createPageCache } from '../../core/http/rendered-page.ts'
import { pageRoute } from '../../core/http/route.ts'
import type { Started, UseOfServer } from '../../feature.ts'
import { file, POLICY } from '../../ui/assets-and-csp.ts'
import { createRetirementGuard } from './headers-and-brownouts.ts'
import { describePhase, renderDeprecation } from './page.ts'
import { datePlan, NO_PLAN, type RetirementPlan } from './plan.ts'
import { PLAN } from './statements.ts'

const PLAN_MILLISECONDS = 1000

/** Bounds the cache, because pages contain the `Host` of the request, and clients can send any number of hosts. */
const MAX_BYTES = 1024 * 1024

/** Reads the plan now and every second. */
export async function startRetirement(use: UseOfServer): Promise<Started> {
  const read = async () => (await use.store.data(PLAN).find()) ?? NO_PLAN
  let plan = await read()
  const job: Job = {
    name: 'The retirement plan cannot be read, the last one stays in force',
    interval: PLAN_MILLISECONDS,
    async run() {
      plan = await read()
    },
  }
  return { ...createRetirement(use, () => plan), jobs: [job] }
}

/** The guard of the versions that the plan applies to, and their page. */
export function createRetirement(
  { config, site, now }: Pick<UseOfServer, 'config' | 'site' | 'now'>,
  plan: () => RetirementPlan,
): Started {
  const { deprecatedAt } = config
  const dated = () => datePlan(plan(), deprecatedAt)
  const pages = createPageCache(MAX_BYTES)
  const showPage = (request: Request) => {
    const body = renderDeprecation({ ...site, origin: publicOriginOf(request, site.origin) }, dated(), now())
    return pages.get(site, body, () => file('text/html', body, POLICY.page))
  }
  return {
    routes: [pageRoute('/deprecation', showPage)],
    guard: createRetirementGuard(plan, deprecatedAt),
    notice: () => describePhase(dated(), now()),
  }
}
