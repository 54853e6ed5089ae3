import { didOf } from '../config/signing-keys.ts'
import { publicOriginOf } from './parse-request.ts'
import type { Context } from './route.ts'

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** The origin of the service; `undefined` without PUBLIC_URL, because the requested one may be forged, unless it is this machine. */
export function trustedOriginOf(request: Request, { publicUrl }: Context) {
  const origin = publicOriginOf(request, publicUrl)
  return publicUrl !== '' || LOOPBACK.test(origin) ? origin : undefined
}

/** Who signs, and with which keys; `undefined` if the service does not sign. */
export function findIssuer(request: Request, context: Context) {
  const origin = trustedOriginOf(request, context)
  return context.signing && origin ? { origin, did: didOf(origin), keys: context.signing } : undefined
}
