import type { FontFolder } from '../config/font-folder.ts'
import { loadRasterizer } from '../explorer/pictures/rasterizer.ts'
import { createRasterizerServer } from '../explorer/pictures/rasterizer-calls.ts'
import { send, type ToThread } from './messages.ts'

declare const self: Worker

let files: FontFolder['files'] = []
const server = createRasterizerServer(() => loadRasterizer(files))

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') files = data.fonts?.files ?? []
  else if (data.kind === 'connect') server.connect(data.port)
  else if (data.kind === 'stop') send({ kind: 'stopped' })
}
