const ORIGIN = /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** The scheme and host of a service. The text may come from a `Host` header, which is untrusted input. */
export function parseOrigin(text: string): URL | undefined {
  return ORIGIN.test(text) ? (URL.parse(text) ?? undefined) : undefined
}

const LONGEST = 1000

/** Characters that could end a URL in a header or in text; the URL parser encodes only some of them. */
const UNSAFE = /[\s\p{Cc}\p{Bidi_Control}<>"'`\\^{|}]/u

/** The http or https URL of a page, without a password, in a form that is safe in a header. */
export function parseWebAddress(text: string): string | undefined {
  if (text.length > LONGEST || UNSAFE.test(text) || !/^https?:\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  return url.href.length <= LONGEST && !UNSAFE.test(url.href) ? url.href : undefined
}

export const urlOf = (host: string, port: number, scheme = 'http') =>
  new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`)
