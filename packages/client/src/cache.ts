/** An answer, to be asked for again with its ETag. */
export type CachedAnswer = { etag: string; body: string }

/** Keeps answers by their address; a request may wait for it, and fails where it does. */
export type Cache = {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>
  set(url: string, answer: CachedAnswer): void | Promise<void>
}

/** Keeps the answers that were used last. */
export function createMemoryCache(most = 1000): Cache {
  const answers = new Map<string, CachedAnswer>()

  function set(url: string, answer: CachedAnswer): void {
    answers.delete(url)
    answers.set(url, answer)
    if (answers.size > most) answers.delete(answers.keys().next().value as string)
  }

  return {
    get(url) {
      const answer = answers.get(url)
      if (answer) set(url, answer)
      return answer
    },
    set,
  }
}
