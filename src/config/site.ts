import { contrast, parseColor } from '../domain/color-contrast.ts'
import { parseWebAddress } from '../domain/url.ts'

/** The operator's name, links and colour. */
export type SiteSettings = {
  name: string
  /** A `mailto:` or web address, for questions and removals. */
  contact?: string | undefined
  privacyUrl?: string | undefined
  /** A colour such as `#1d6552`. */
  accent?: string | undefined
  /** Whether search engines may list the pages. */
  index: boolean
}

export const DEFAULT_SITE: SiteSettings = { name: 'passportd', index: true }

/** The background of pages and pictures in light mode. */
export const PAPER = '#f7f3ea'

const LONGEST_NAME = 40

export function parseSiteName(text: string): string | undefined {
  return text.length <= LONGEST_NAME && !/[\p{Cc}\p{Bidi_Control}<>]/u.test(text) ? text : undefined
}

/** An email address becomes a `mailto:` address. */
export function parseContact(text: string): string | undefined {
  if (/^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(text) && text.length <= 254) return `mailto:${text}`
  return parseWebAddress(text)
}

/** The minimum contrast of text in WCAG AA. */
const MIN_CONTRAST = 4.5

/** Accepts a colour only if text in this colour is readable on `PAPER`. */
export function parseAccent(text: string): string | undefined {
  const color = parseColor(text)
  return color !== undefined && contrast(color, PAPER) >= MIN_CONTRAST ? color : undefined
}
