import type { Font } from '../config/font-folder.ts'
import { loadRasterizer } from '../explorer/pictures/rasterizer.ts'
import { createRasterizerServer } from '../explorer/pictures/rasterizer-calls.ts'
import { send, type ToThread } from './messages.ts'

declare const self: Worker

let fonts: readonly Font[] = []
const server = createRasterizerServer(() => loadRasterizer(fonts))

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') fonts = data.fonts ?? []
  else if (data.kind === 'connect') server.connect(data.port)
  else if (data.kind === 'stop') send({ kind: 'stopped' })
}
