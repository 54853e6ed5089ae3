/** A thread that says that it is there, and throws when it is told to. */
declare const self: Worker

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'throw') throw new Error('told to')
  postMessage(data)
}
