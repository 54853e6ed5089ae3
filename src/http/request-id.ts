/** A caller's own id is kept, so that both sides' logs can be laid side by side, if it is safe to print. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('X-Request-Id')
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}
