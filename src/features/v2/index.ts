import type { Feature } from '../../feature.ts'
import { v1 } from '../v1/index.ts'

export const v2: Feature = {
  name: 'v2',
  needs: [v1],
  data: async () => [(await import('./statements.ts')).V2_BODIES],
  async serve() {
    const { V2_ROUTES } = await import('./routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: V2_ROUTES,
      isServed: ({ compatV2 = true }) => compatV2,
    }
  },
}
