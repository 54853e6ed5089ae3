/** Preloads a module in every thread; the option --preload applies only to the main thread. */
export function preloadThreads(path: string, onStart?: (worker: Worker, url: string) => void): void {
  const Original = globalThis.Worker
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, { ...options, preload: [path] })
      onStart?.(this, String(url))
    }
  }
}
