import { isIP } from 'node:net'
import { parseOrigin } from '../basics/url.ts'

/** Parsers of settings. Each returns `undefined` for a malformed text. */

/** Returns a parser of whole numbers within limits. */
export const whole =
  (least: number, most: number) =>
  (text: string): number | undefined => {
    const number = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : undefined
  }

export const parsePort = whole(0, 65_535)

export const parseHistory = (text: string) =>
  text === 'forever' ? Number.POSITIVE_INFINITY : whole(1, 36_500)(text)

export const parseLogLevel = (text: string) =>
  (['info', 'warn', 'error'] as const).find((level) => level === text.toLowerCase())

/** Returns a parser that also accepts `none`, and returns `null` for it. */
export const orNone =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string): T | null | undefined =>
    text.trim().toLowerCase() === 'none' ? null : parse(text.trim())

export function parseFlag(text: string): boolean | undefined {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  return /^(false|0|no|off)$/i.test(text) ? false : undefined
}

/** Whether the text is an IP address, or a block of addresses in CIDR notation. */
export function isAddressBlock(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** An IPv6 address may have brackets, as in a URL. */
export function parseHost(text: string): string | undefined {
  return /^\[?([\w.:-]+)\]?$/.exec(text)?.[1]
}

/** A URL with a path is refused, because the service is served at the root. */
export function parsePublicUrl(text: string): string | undefined {
  return parseOrigin(text.replace(/\/$/, ''))?.origin
}

export function parseProxies(text: string): readonly string[] | undefined {
  const blocks = text.split(',').map((block) => block.trim())
  return blocks.every(isAddressBlock) ? blocks : undefined
}
