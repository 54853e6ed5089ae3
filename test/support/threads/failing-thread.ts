/** A thread that reports its start, and throws on request. */
declare const self: Worker

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'throw') throw new Error('told to')
  postMessage(data)
}
