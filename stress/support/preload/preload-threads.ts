/** Has threads load a module before their own; the option --preload is for the main thread only. */
export function preloadThreads(path: string, onStart?: (worker: Worker, url: string) => void): void {
  const Original = globalThis.Worker
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, { ...options, preload: [path] })
      onStart?.(this, String(url))
    }
  }
}
