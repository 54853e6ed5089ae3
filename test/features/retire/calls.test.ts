import { describe, expect, test } from 'bun:test'
import { NO_PLAN, type RetirementPlan, retiredBy } from '../../support/features/retire.ts'
import { CALLS, serveCalls } from '../../support/http/calls-of-all-routes.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const serveWith = (plan: Partial<RetirementPlan>) =>
  shareServer(
    () => openTestStore('sqlite', PEOPLE),
    (store) =>
      serveCalls(
        store,
        retiredBy(() => ({ ...NO_PLAN, ...plan })),
      ),
  )

describe('every route of the API', () => {
  const server = serveWith({})
  const switchedOff = serveWith({ brownouts: [{ start: NOON, end: NOON + 60_000 }] })
  const removed = serveWith({ sunsetAt: NOON })

  test.each(CALLS)(
    '$route.name follows the retirement plan if it belongs to V1 or V2',
    async ({ route, path, init }) => {
      const statuses = await Promise.all(
        [server, switchedOff, removed].map(async (each) => {
          const { status, headers } = await each.get(path, init(each.withKey))
          expect(headers.get('Deprecation')).toBe(route.surface.retires ? '@1743379200' : null)
          if (route.surface.retires)
            expect(headers.get('Link')).toStartWith(
              '</deprecation>; rel="deprecation"; type="text/html", </api/v3>; rel="successor-version"',
            )
          return status
        }),
      )
      expect(statuses).toEqual(route.surface.retires ? [200, 410, 410] : [200, 200, 200])
    },
  )
})
