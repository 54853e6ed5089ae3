import { didOf } from '../../core/config/signing-keys.ts'
import { trustedOriginOf } from '../../core/http/parse-request.ts'
import type { Context } from '../../core/http/route.ts'

/** Who signs, and with which keys; `undefined` if the service does not sign. */
export function findIssuer(request: Request, context: Context) {
  const origin = trustedOriginOf(request, context)
  return context.signing && origin ? { origin, did: didOf(origin), keys: context.signing } : undefined
}
