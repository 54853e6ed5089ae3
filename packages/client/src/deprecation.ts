/** What an answer tells of the end of the API. */
export type Deprecation = {
  /** Since when it is deprecated, where that is told. */
  deprecatedAt: Date | undefined
  /** When it ends, where that is told. */
  sunsetAt: Date | undefined
  /** Where to read more, and what to use instead, by relation: `deprecation`, `sunset`, `successor-version`. */
  links: Record<string, string>
}

/** Nothing where the answer tells nothing of it (RFC 9745, RFC 8594). */
export function readDeprecation(headers: Headers, url: string): Deprecation | undefined {
  const deprecation = headers.get('Deprecation')
  const sunset = headers.get('Sunset')
  if (deprecation === null && sunset === null) return undefined
  const seconds = /^@(-?\d{1,12})$/.exec(deprecation ?? '')?.[1]
  return {
    deprecatedAt: seconds === undefined ? undefined : new Date(Number(seconds) * 1000),
    sunsetAt: sunset === null || Number.isNaN(Date.parse(sunset)) ? undefined : new Date(sunset),
    links: readLinks(headers.get('Link') ?? '', url),
  }
}

function readLinks(text: string, base: string): Record<string, string> {
  const links: Record<string, string> = {}
  for (const [, target = '', relation = ''] of text.matchAll(
    /<([^<>]{1,2000})>[^<>"]{0,200}?rel="([\w-]{1,100})"/g,
  )) {
    try {
      links[relation] = new URL(target, base).href
    } catch {
      // No address: there is nothing to follow.
    }
  }
  return links
}
