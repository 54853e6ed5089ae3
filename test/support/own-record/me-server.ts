import { type Reply, serveTest } from '../http/server.ts'
import { openTestStore } from '../store/engines.ts'
import { WALLET_PEOPLE, ZOE } from './test-wallet.ts'

export const MINUTE = 60_000

/** A server with the people of test-wallet.ts. Each challenge is a minute later than the one before. */
export async function serveMe(
  options: Parameters<typeof serveTest>[1] = {},
  store = openTestStore('sqlite', WALLET_PEOPLE),
) {
  const opened = await store
  const server = serveTest(opened, { tiers: '', ...options })
  const call = (method: string, path: string, body?: object, token = '', more = {}): Promise<Reply> =>
    server.get(`/api/v3/me${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...more,
      },
    })
  const challenge = async (wallet = ZOE.address) => {
    server.clock.time += MINUTE
    return (await call('POST', '/challenge', { wallet })).body as { message: string; nonce: string }
  }
  const session = (wallet: string, nonce: string, signature: string) =>
    call('POST', '/session', { wallet, nonce, signature })
  const signIn = async (wallet = ZOE) => {
    const { message, nonce } = await challenge(wallet.address)
    return (await session(wallet.address, nonce, wallet.sign(message))).body.token as string
  }
  const close = async () => {
    await server.stop(true)
    await opened[Symbol.asyncDispose]()
  }
  return { ...server, store: opened, call, challenge, session, signIn, [Symbol.asyncDispose]: close }
}
