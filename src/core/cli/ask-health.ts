import { once } from 'node:events'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { CommandError } from '../basics/errors.ts'
import type { Config } from '../config/config.ts'

const TIMEOUT_MILLISECONDS = 2000

/** Returns the status of /health of the server with these settings. Not with fetch, which would use HTTP_PROXY. */
export async function askHealth(
  { host, port, tls }: Config,
  headers: Record<string, string> = {},
): Promise<number> {
  const get = tls === undefined ? getHttp : getHttps
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
  // The certificate is valid for the public name, not for the address.
  const request = get({ host, port, path: '/health', headers, rejectUnauthorized: false, signal })
  const [response] = await once(request, 'response').catch((error) => {
    throw new CommandError(`No response from ${host}:${port}: ${error.message}`)
  })
  return response.resume().statusCode
}
