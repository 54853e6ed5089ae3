const ORIGIN = /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** The scheme and host of a service. It may come from the `Host` of a request: that can hold anything. */
export function parseOrigin(text: string): URL | undefined {
  return ORIGIN.test(text) ? (URL.parse(text) ?? undefined) : undefined
}

const LONGEST = 1000

/** Where these stand in a header or in text, an address could end; the parser would encode some, and leave others. */
const UNFIT = /[\s\p{Cc}\p{Bidi_Control}<>"'`\\^{|}]/u

/** The address of a page, in the form that may stand in a header: http or https, and no password in it. */
export function parseWebAddress(text: string): string | undefined {
  if (text.length > LONGEST || UNFIT.test(text) || !/^https?:\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  return url.href.length <= LONGEST && !UNFIT.test(url.href) ? url.href : undefined
}
