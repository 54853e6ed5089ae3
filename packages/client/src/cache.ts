/** A response body with the ETag to revalidate it by. */
export type CachedResponse = { etag: string; body: string }

/** Stores responses by URL. Requests wait for the cache. Errors of the cache are rethrown unchanged. */
export type Cache = {
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>
  set(url: string, response: CachedResponse): void | Promise<void>
}

/** An LRU cache. */
export function createMemoryCache(maxEntries = 1000): Cache {
  const entries = new Map<string, CachedResponse>()

  function set(url: string, response: CachedResponse): void {
    entries.delete(url)
    entries.set(url, response)
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string)
  }

  return {
    get(url) {
      const response = entries.get(url)
      if (response) set(url, response)
      return response
    },
    set,
  }
}
