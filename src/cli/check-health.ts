import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { Config } from '../config/config.ts'
import { CommandError } from '../domain/errors.ts'

const TIMEOUT_MILLISECONDS = 2000

/** Asks the server with these settings for /health. Not with fetch, which would use HTTP_PROXY. */
export async function checkHealth({ host, port, tls }: Config): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  // The certificate is valid for the public name, not for the address.
  const options = { host, port, path: '/health', rejectUnauthorized: false }
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
  const get = tls === undefined ? getHttp : getHttps
  get({ ...options, signal }, (response) => resolve(response.resume().statusCode)).on('error', (error) =>
    reject(new CommandError(`No response from ${host}:${port}: ${error.message}`)),
  )
  const status = await promise
  if (status !== 200) throw new CommandError(`/health on ${host}:${port} responded ${status}.`)
}
