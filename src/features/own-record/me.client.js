// Signs with a wallet of the browser. Wallets announce themselves (EIP-6963), or are window.ethereum.
// share.client.js precedes it in the same script.

const place = document.getElementById('wallets')
const trouble = document.getElementById('trouble')
const found = new Map()

function offer(id, name, provider) {
  if (!place || found.has(id)) return
  found.set(id, provider)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Sign with ${name}`
  button.addEventListener('click', () => void sign(provider, button))
  place.append(button)
  place.hidden = false
  document.getElementById('by-hand').open = false
}

async function sign(provider, button) {
  trouble.hidden = true
  button.disabled = true
  try {
    const [wallet] = await provider.request({ method: 'eth_requestAccounts' })
    const { message, nonce } = await ask(wallet)
    const bytes = [...new TextEncoder().encode(message)]
    const hex = `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
    const signature = await provider.request({ method: 'personal_sign', params: [hex, wallet] })
    const form = document.querySelector('#signed form')
    Object.entries({ wallet, nonce, signature }).forEach(([name, value]) => {
      form.elements[name].value = value
    })
    form.submit()
  } catch (error) {
    trouble.textContent = error?.message || 'The wallet did not sign.'
    trouble.hidden = false
    button.disabled = false
  }
}

async function ask(wallet) {
  const response = await fetch('/api/v3/me/challenge', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ wallet }),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.detail)
  return body
}

addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) =>
  offer(info.uuid, String(info.name).slice(0, 40), provider),
)
dispatchEvent(new Event('eip6963:requestProvider'))
if (found.size === 0 && window.ethereum) offer('injected', 'your wallet', window.ethereum)
