import type { Started } from '../../../src/feature.ts'
import { siteOf } from '../../../src/serve/serving.ts'
import { openTestStore } from '../store/engines.ts'
import { SERVING, useOf } from './serving.ts'

async function startFeatures(explorer: boolean) {
  await using store = await openTestStore('sqlite')
  const notice = () => started.find((part) => part.notice)?.notice?.()
  const use = { ...useOf(store), site: siteOf(SERVING, { explorer }).site, notice }
  const started: Started[] = await Promise.all(SERVING.flatMap(({ start }) => (start ? [start(use)] : [])))
  return {
    routes: started.flatMap(({ routes = [] }) => routes),
    guards: started.flatMap(({ guard }) => guard ?? []),
  }
}

/** The routes and guards of the features, as they are with an empty database. */
export const WITHOUT_EXPLORER = await startFeatures(false)
export const WITH_EXPLORER = await startFeatures(true)
