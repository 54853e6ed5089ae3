import { contrast, parseColor } from '../basics/color-contrast.ts'
import { parseWebAddress } from '../basics/url.ts'

export type SiteSettings = {
  name: string
  owner?: string | undefined
  /** A `mailto:` or web address, for questions and removals. */
  contact?: string | undefined
  privacyUrl?: string | undefined
  /** How to get an API key: a web address or a text. */
  keys?: string | undefined
  /** The rate limits of the API, in sentences. */
  limits?: string
  /** A colour such as `#1d6552`. */
  accent?: string | undefined
  index: boolean
  /** Whether the service runs with --demo, so that its people are invented. */
  demo?: boolean
}

export const DEFAULT_SITE: SiteSettings = { name: 'passportd', index: true }

/** What is known about a demo. Its contact is an example, which /about says. */
export const DEMO_SITE: Partial<SiteSettings> = {
  contact: 'mailto:operator@example.com',
  keys: 'Where the demo was started, run: passportd keys create --demo --name me (in a clone: npm run -s passportd -- keys create --demo --name me)',
  demo: true,
}

/** The background of pages and pictures in light mode. */
export const PAPER = '#f7f3ea'

const line =
  (longest: number) =>
  (text: string): string | undefined =>
    text.length <= longest && !/[\p{Cc}\p{Bidi_Control}<>]/u.test(text) ? text : undefined

export const parseSiteName = line(40)

export const parseOwner = line(100)

export const parseKeyHelp = (text: string): string | undefined =>
  /^\w+:\/\//.test(text) ? parseWebAddress(text) : line(300)(text)

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
