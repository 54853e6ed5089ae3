import { loadRasterizer } from '../explorer/pictures/rasterizer.ts'
import { createRasterizerServer } from '../explorer/pictures/rasterizer-server.ts'
import type { FromThread, ToPictures } from './messages.ts'

declare const self: Worker

const server = createRasterizerServer(loadRasterizer)

self.onmessage = ({ data }: MessageEvent<ToPictures>) => {
  if (data.kind === 'connect') server.connect(data.port)
  else postMessage({ kind: 'stopped' } satisfies FromThread)
}
