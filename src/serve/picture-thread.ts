import { loadRasterizer } from '../explorer/pictures/rasterizer.ts'
import { createRasterizerServer } from '../explorer/pictures/rasterizer-calls.ts'
import { send, type ToThread } from './messages.ts'

declare const self: Worker

const server = createRasterizerServer(loadRasterizer)

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'connect') server.connect(data.port)
  else if (data.kind === 'stop') send({ kind: 'stopped' })
}
