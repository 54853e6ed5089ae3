/** A thread that echoes its messages, and throws on request. */
declare const self: Worker

self.onmessage = ({ data }: MessageEvent<{ kind: string }>) => {
  if (data.kind === 'throw') throw new Error('told to')
  postMessage(data.kind === 'stop' ? { kind: 'stopped' } : data)
}
