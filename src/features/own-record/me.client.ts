// Signs with a wallet of the browser. Wallets announce themselves (EIP-6963), or are window.ethereum.
// share.client.ts precedes it in the same script.
import { find } from '../../ui/assets/share.client.ts'

type Provider = { request(call: { method: string; params?: string[] }): Promise<unknown> }

const place = document.getElementById('wallets')
const trouble = find('#trouble')
const providers = new Map<string, Provider>()

function offer(id: string, name: string, provider: Provider) {
  if (!place || providers.has(id)) return
  providers.set(id, provider)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Sign with ${name}`
  button.addEventListener('click', () => void sign(provider, button))
  place.append(button)
  place.hidden = false
  find<HTMLDetailsElement>('#by-hand').open = false
}

async function sign(provider: Provider, button: HTMLButtonElement) {
  trouble.hidden = true
  button.disabled = true
  try {
    const [wallet] = (await provider.request({ method: 'eth_requestAccounts' })) as [string]
    const { message, nonce } = await ask(wallet)
    const bytes = [...new TextEncoder().encode(message)]
    const hex = `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
    const signature = await provider.request({ method: 'personal_sign', params: [hex, wallet] })
    const form = find<HTMLFormElement>('#signed form')
    for (const [name, value] of Object.entries({ wallet, nonce, signature }))
      find<HTMLInputElement>(`[name=${name}]`, form).value = value as string
    form.submit()
  } catch (error) {
    trouble.textContent = (error as Error | undefined)?.message || 'The wallet did not sign.'
    trouble.hidden = false
    button.disabled = false
  }
}

async function ask(wallet: string) {
  const response = await fetch('/api/v3/me/challenge', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ wallet }),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.detail)
  return body
}

type Announcement = CustomEvent<{ info: { uuid: string; name: string }; provider: Provider }>

addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = (event as Announcement).detail
  offer(info.uuid, String(info.name).slice(0, 40), provider)
})
dispatchEvent(new Event('eip6963:requestProvider'))
const { ethereum } = window as { ethereum?: Provider }
if (providers.size === 0 && ethereum) offer('injected', 'your wallet', ethereum)
