import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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
