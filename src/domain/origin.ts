const ORIGIN = /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** The scheme and host of a service. It may come from the `Host` of a request: that can hold anything. */
export function parseOrigin(text: string): URL | undefined {
  return ORIGIN.test(text) ? (URL.parse(text) ?? undefined) : undefined
}
