import type { Feature } from '../../feature.ts'
import { v1 } from '../v1/index.ts'

/** The last API of the host of V1 and V2, whose paths stand at the root. */
export const later: Feature = {
  name: 'later',
  needs: [v1],
  async serve() {
    const { LATER_ROUTES } = await import('./routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: LATER_ROUTES,
      isServed: ({ compatLater = true }) => compatLater,
    }
  },
}
