import { publicOriginOf } from '../parse-request.ts'
import type { ServerContext } from '../route.ts'

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** The origin that signs; `undefined` if the service has no keys, or if nobody could find them at the requested origin. */
export function issuerOf(
  request: Request,
  { signing, publicUrl }: Pick<ServerContext, 'signing' | 'publicUrl'>,
): string | undefined {
  const origin = publicOriginOf(request, publicUrl)
  return signing && (publicUrl !== '' || LOOPBACK.test(origin)) ? origin : undefined
}

export const NOT_SIGNED =
  'This service does not sign scores: its operator has not set SIGNING_KEYS_FILE, or not PUBLIC_URL.'
