import { once } from 'node:events'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { Config } from '../config/config.ts'
import { CommandError } from '../domain/errors.ts'

const TIMEOUT_MILLISECONDS = 2000

/** Asks the server with these settings for /health. Not with fetch, which would use HTTP_PROXY. */
export async function checkHealth({ host, port, tls }: Config): Promise<void> {
  const get = tls === undefined ? getHttp : getHttps
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
  // The certificate is valid for the public name, not for the address.
  const request = get({ host, port, path: '/health', rejectUnauthorized: false, signal })
  const [response] = await once(request, 'response').catch((error) => {
    throw new CommandError(`No response from ${host}:${port}: ${error.message}`)
  })
  const status = response.resume().statusCode
  if (status !== 200) throw new CommandError(`/health on ${host}:${port} responded ${status}.`)
}
