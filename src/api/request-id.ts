import type { Fields } from './wire/incoming.ts'

/** A caller's own id is kept, so that both sides' logs can be laid side by side, if it is safe to print. */
export function requestIdOf(fields: Fields): string {
  const given = fields.get('x-request-id')
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}
