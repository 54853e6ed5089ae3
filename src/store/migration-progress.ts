export type OnProgress = (done: number, total: number) => void

/** Reports several passes over all passports as one progress. Each call of the result begins a pass. */
export function combinePasses(passes: number, onProgress: OnProgress): () => OnProgress {
  let begun = 0
  return () => {
    const ended = begun++
    return (done, total) => onProgress(Math.floor((ended * total + done) / passes), total)
  }
}
