/** The headers that tell callers of V1 that it is deprecated (RFC 9745), and where to read more. */
export function deprecationHeaders(deprecatedAt: number): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(deprecatedAt / 1000)}`,
    Link: '</reference#deprecation>; rel="deprecation"; type="text/html"',
  }
}
