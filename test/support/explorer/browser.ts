import { afterAll, beforeAll, describe } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const PATH = PLACES.find((place) => place !== undefined && existsSync(place))

/** Whether tests that need a browser can run. Under CI=true its absence is a failure. */
export const hasBrowser = PATH !== undefined || process.env.CI === 'true'

if (PATH === undefined) {
  process.stderr.write(
    '\nNO BROWSER: install Chromium (Debian: chromium) or set CHROMIUM_PATH. Browser tests are left out.\n\n',
  )
}

export async function launchBrowser(): Promise<Browser> {
  if (PATH === undefined) throw new Error('There is no Chromium: install it or set CHROMIUM_PATH.')
  return chromium.launch({
    executablePath: PATH,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export type TestBrowser = Pick<Browser, 'newPage' | 'newContext'>

/** Tests that share a browser; left out where there is none. */
export function inBrowser(title: string, tests: (browser: TestBrowser) => void): void {
  describe.if(hasBrowser)(title, () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launchBrowser()
    })
    afterAll(() => browser.close())
    tests({
      newPage: (options) => browser.newPage(options),
      newContext: (options) => browser.newContext(options),
    })
  })
}

/** Collects what the page writes to the console, and its errors. */
export function watchConsole(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}
