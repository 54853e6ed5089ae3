import { publicOriginOf } from '../parse-request.ts'
import type { ServerContext } from '../route.ts'

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** The origin of the service; `undefined` without PUBLIC_URL, because the requested one may be forged, unless it is this machine. */
export function trustedOriginOf(request: Request, { publicUrl }: Pick<ServerContext, 'publicUrl'>) {
  const origin = publicOriginOf(request, publicUrl)
  return publicUrl !== '' || LOOPBACK.test(origin) ? origin : undefined
}

/** The origin that signs; `undefined` if the service does not. */
export const issuerOf = (request: Request, context: Pick<ServerContext, 'signing' | 'publicUrl'>) =>
  context.signing && trustedOriginOf(request, context)
