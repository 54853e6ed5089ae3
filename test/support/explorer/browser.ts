import { afterAll, afterEach, beforeAll, describe } from 'bun:test'
import type { CDPSession, Page } from 'playwright-core'
import { hasPrograms } from '../programs.ts'
import { launchBrowser } from './launch-browser.ts'

/** Both functions return the page that all tests share. `newPageWithoutScripts` disables scripts first. */
export type TestBrowser = Record<'newPage' | 'newPageWithoutScripts', () => Promise<Page>>

/** One browser and page for all test files of the process. They end with the process. */
let shared: Promise<{ page: Page; devTools: CDPSession }> | undefined

async function openSharedPage() {
  const page = await (await launchBrowser()).newPage()
  // No timeout, because each test has one.
  page.setDefaultTimeout(0)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return { page, devTools: await page.context().newCDPSession(page) }
}

/** Runs tests in a browser, or skips them if there is none. Resets the page after each test. */
export function inBrowser(title: string, tests: (browser: TestBrowser) => void): void {
  describe.if(hasPrograms('chromium'))(title, () => {
    let page: Page
    let devTools: CDPSession
    const switchScripts = (isOff: boolean) =>
      devTools.send('Emulation.setScriptExecutionDisabled', { value: isOff })
    beforeAll(async () => {
      shared ??= openSharedPage()
      ;({ page, devTools } = await shared)
    })
    afterEach(async () => {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      for (const event of ['console', 'pageerror', 'request', 'dialog']) page.removeAllListeners(event)
      await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null })
      await page.setViewportSize({ width: 1280, height: 720 })
      await switchScripts(false)
    })
    afterAll(() => page.goto('about:blank'))
    tests({
      newPage: async () => page,
      newPageWithoutScripts: async () => {
        await switchScripts(true)
        return page
      },
    })
  })
}

/** Replaces badges with empty pictures, because badges have their own tests. */
const withoutBadges = (page: Page) =>
  page.route('**/badge/*', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  )

export function watchConsole(page: Page): string[] {
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(error.message))
  return messages
}

/** A web site with another origin than the service. */
export const serveBlankPage = () =>
  Bun.serve({ port: 0, fetch: () => new Response('', { headers: { 'Content-Type': 'text/html' } }) })

/** Presses Tab until the element with this id or text has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isNamed = (text = '') => (name instanceof RegExp ? name.test(text) : name === text)
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      return { id: element.id, text: (element.closest('label') ?? element).textContent?.trim() }
    })
    if (isNamed(focus.id) || isNamed(focus.text)) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** Opens a page without its badges. Returns the messages of its console. */
export async function visit(url: string, page: Page): Promise<string[]> {
  const complaints = watchConsole(page)
  await withoutBadges(page)
  await page.goto(url)
  return complaints
}
