import { postToMain, type ToThread } from '../../core/threads/messages.ts'
import { type Font, findFonts } from './fonts-folder.ts'
import { loadRasterizer } from './rasterizer.ts'
import { createRasterizerServer } from './rasterizer-calls.ts'

declare const self: Worker

let fonts: readonly Font[] = []
const server = createRasterizerServer(() => loadRasterizer(fonts))

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') fonts = findFonts(data.config)
  else if (data.kind === 'connect') server.connect(data.port)
  else if (data.kind === 'stop') postToMain({ kind: 'stopped' })
}
