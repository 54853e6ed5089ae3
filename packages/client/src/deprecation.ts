/** The end of the API, as the response headers announce it. */
export type Deprecation = {
  deprecatedAt: Date | undefined
  sunsetAt: Date | undefined
  /** URLs by relation: `deprecation`, `sunset`, `successor-version`. */
  links: Record<string, string>
}

/** Reads the Deprecation (RFC 9745), Sunset (RFC 8594) and Link headers; undefined without the first two. */
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
  const links = text.matchAll(/<([^<>]{1,2000})>[^<>"]{0,200}?rel="([\w-]{1,100})"/g)
  return Object.fromEntries(
    [...links]
      .filter(([, target = '']) => URL.canParse(target, base))
      .map(([, target = '', relation = '']) => [relation, new URL(target, base).href]),
  )
}
