import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addAxe, findViolations } from '../../../support/explorer/axe.ts'
import { inBrowser, watchConsole } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { REQUESTS } from '../../../support/features/own-record.ts'
import { MALLORY, WALLET_PEOPLE, ZOE } from '../../../support/own-record/test-wallet.ts'
import { owning } from '../../../support/owning.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { SUBJECTS } from '../../../support/store/open.ts'

async function serveMe() {
  const store = await openTestStore('sqlite', WALLET_PEOPLE)
  const server = serveExplorer(store, { now: Date.now })
  return owning({ ...server, store }, store, server)
}

type Provider = { request: (call: { method: string; params?: [string, string] }) => Promise<unknown> }
type WalletWindow = typeof globalThis & {
  signInTest: (hex: string) => Promise<string>
  wallet: Provider
  ethereum?: Provider
}

let address = ''
let signer = ZOE

/** A wallet in the page that asks the test to sign: the key stays in the test. */
async function prepareWallet(page: Page, kind: 'announced' | 'injected', account = ZOE): Promise<void> {
  address = account.address
  signer = account
  const script = ([kind, address]: string[]) => {
    const own = globalThis as WalletWindow
    const provider: Provider = {
      async request({ method, params }) {
        if (method === 'eth_requestAccounts') return [address]
        if (method === 'personal_sign' && params?.[1] === address) return own.signInTest(params?.[0] ?? '')
        throw new Error(`unknown method ${method}`)
      },
    }
    if (kind === 'injected') own.ethereum = provider
    else
      addEventListener('eip6963:requestProvider', () => {
        const detail = { info: { uuid: '1', name: 'Test Wallet' }, provider }
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      })
  }
  await page.addInitScript(script, [kind, address])
}

inBrowser('the page "Is this you?"', ({ newPage, newPageWithoutScripts }) => {
  test('signs with a wallet of the browser, hides, asks for a correction and removes', async () => {
    await using site = await serveMe()
    const shared = await newPage()
    const context = await shared.context().browser()?.newContext()
    const page = (await context?.newPage()) as Page
    await page.exposeFunction('signInTest', (hex: string) =>
      signer.sign(Buffer.from(hex.slice(2), 'hex').toString()),
    )
    const complaints = watchConsole(page)
    await prepareWallet(page, 'announced')
    await page.goto(`${site.url.origin}/me`)
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByRole('heading', { name: 'Your passport' }).waitFor()
    await addAxe(page)
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate('document.cookie')).toBe('')
    const [cookie] = (await context?.cookies(`${site.url.origin}/me`)) ?? []
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/me' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download everything' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('passport.json')
    await page.getByRole('button', { name: 'Hide my passport' }).click()
    await page.getByText('Your passport is hidden.').waitFor()
    expect((await site.look('/passports/70')).status).toBe(404)
    await page.getByRole('button', { name: 'Show my passport' }).click()
    await page.getByText('Your passport is visible again.').waitFor()
    await page.getByLabel('What is wrong').fill('I moved to Porto.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Your request was sent').waitFor()
    expect(await site.store.data(REQUESTS).list()).toMatchObject([{ text: 'I moved to Porto.' }])
    await page.getByLabel('to confirm').fill('remove')
    await page.getByRole('button', { name: 'Remove my passport' }).click()
    await page.getByText('Your passport was removed.').waitFor()
    expect(await site.store.data(SUBJECTS).find(ZOE.address)).toBeUndefined()
    expect(complaints).toEqual([])
    await context?.close()
  })

  test('uses window.ethereum, and shows why a wallet was refused', async () => {
    await using site = await serveMe()
    const shared = await newPage()
    const context = await shared.context().browser()?.newContext()
    const page = (await context?.newPage()) as Page
    let answer = 'refuse'
    await page.exposeFunction('signInTest', (hex: string) => {
      if (answer === 'refuse') throw new Error('The person refused.')
      return signer.sign(Buffer.from(hex.slice(2), 'hex').toString())
    })
    await prepareWallet(page, 'injected', MALLORY)
    await page.goto(`${site.url.origin}/me`)
    await page.getByRole('button', { name: 'Sign with your wallet' }).click()
    await page.getByText('The person refused.').waitFor()
    await page.getByText('With any wallet, in three steps').click()
    await page.getByLabel('Your wallet').fill(MALLORY.address)
    await page.getByRole('button', { name: 'Show the message' }).click()
    expect(await page.getByRole('button', { name: 'Copy message' }).count()).toBe(1)
    await page.goBack()
    signer = ZOE
    answer = 'sign'
    await page.getByRole('button', { name: 'Sign with your wallet' }).click()
    await page.getByText('The signature is not one of this wallet').waitFor()
    signer = MALLORY
    await page.getByRole('button', { name: 'Sign with your wallet' }).click()
    await page.getByRole('heading', { name: 'Your passport' }).waitFor()
    expect(await page.getByRole('link', { name: 'passport 66' }).count()).toBe(1)
    await context?.close()
  })

  test('works without scripts, with a pasted signature', async () => {
    await using site = await serveMe()
    const page = await newPageWithoutScripts()
    await page.goto(`${site.url.origin}/me`)
    await page.getByLabel('Your wallet').fill(ZOE.address)
    await page.getByRole('button', { name: 'Show the message' }).click()
    const message = (await page.locator('pre').textContent()) as string
    await page.getByLabel('The signature').fill(ZOE.sign(message))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Your passport' }).waitFor()
    await page.getByRole('button', { name: 'Hide my passport' }).click()
    await page.getByText('Your passport is hidden.').waitFor()
    expect(await site.store.data(SUBJECTS).find(ZOE.address)).toMatchObject({ id: 70, hidden: true })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
  })
})
