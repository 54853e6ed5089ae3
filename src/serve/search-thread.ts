import { createSearchServer } from '../catalog/remote-search.ts'
import type { ToSearch } from './messages.ts'

declare const self: Worker

const server = createSearchServer()

self.onmessage = ({ data }: MessageEvent<ToSearch>) => {
  if (data.kind === 'snapshot') server.update(data.snapshot)
  else server.connect(data.port)
}
