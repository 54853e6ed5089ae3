import { afterAll, afterEach, beforeAll, describe } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { guardedFolder } from '../postgres/postgres-files.ts'

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const PATH = CANDIDATES.find((path) => path !== undefined && existsSync(path))

/** Whether browser tests run. With CI=true a missing browser is an error. */
const hasBrowser = PATH !== undefined || process.env.CI === 'true'

if (PATH === undefined) {
  process.stderr.write(
    '\nNO BROWSER: install Chromium (Debian: chromium) or set CHROMIUM_PATH. Browser tests are skipped.\n\n',
  )
}

async function launchBrowser(): Promise<Browser> {
  if (PATH === undefined) throw new Error('Chromium was not found. Install it or set CHROMIUM_PATH.')
  folder = guardedFolder()
  const env = { ...process.env }
  process.env.TMPDIR = folder.path
  try {
    return await chromium.launch({
      executablePath: PATH,
      env,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  } finally {
    if (env.TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = env.TMPDIR
  }
}

export type TestBrowser = Pick<Browser, 'newPage' | 'newContext'>

/** One for all files of the process. It stops when the process ends, and its folder is deleted. */
let shared: Promise<Browser> | undefined
let folder: ReturnType<typeof guardedFolder>

/** Tests in a browser; skipped if there is none. Those without options use one page in turn; the others are closed. */
export function inBrowser(title: string, tests: (browser: TestBrowser) => void): void {
  describe.if(hasBrowser)(title, () => {
    let browser: Browser
    let plain: Page
    beforeAll(async () => {
      shared ??= launchBrowser()
      browser = await shared
      plain = await browser.newPage()
    })
    afterEach(async () => {
      const others = browser.contexts().filter((context) => context !== plain.context())
      await Promise.all(others.map((context) => context.close()))
      await plain.unrouteAll({ behavior: 'ignoreErrors' })
      for (const event of ['console', 'pageerror', 'request', 'dialog']) plain.removeAllListeners(event)
      await plain.setViewportSize({ width: 1280, height: 720 })
    })
    afterAll(() => plain.close())
    tests({
      newPage: async (options) => (options ? browser.newPage(options) : plain),
      newContext: (options) => browser.newContext(options),
    })
  })
}

export function watchConsole(page: Page): string[] {
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(error.message))
  return messages
}

/** A web site of another origin. */
export const serveBlankPage = () =>
  Bun.serve({ port: 0, fetch: () => new Response('', { headers: { 'Content-Type': 'text/html' } }) })
