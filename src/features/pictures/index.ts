import type { Feature } from '../../feature.ts'

export const pictures: Feature = {
  name: 'pictures',
  async prepare() {
    const { findFonts } = await import('./fonts-folder.ts')
    return ({ config }) => {
      findFonts(config)
      return {}
    }
  },
  checks: async () => (await import('./fonts-folder.ts')).checkFonts,
  threads: [
    {
      name: 'picture-thread',
      file: 'features/pictures/thread.ts',
      isNeeded: ({ explorer }) => explorer,
      client: async () => (await import('./rasterizer-calls.ts')).createRasterizerClient(),
    },
  ],
  serve: async () => ({ pages: (await import('./routes.ts')).createPictures }),
}
