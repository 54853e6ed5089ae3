import type { Feature } from '../../feature.ts'

export const pictures: Feature = {
  name: 'pictures',
  serve: async () => ({ pages: (await import('./routes.ts')).createPictures }),
}
