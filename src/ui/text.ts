import { parseWebAddress } from '../core/basics/url.ts'
import type { Passport } from '../core/passport/passport.ts'
import { escapeText, type Html, html } from './html.ts'
import { addressOfValue } from './list-address.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Control characters, bidirectional controls, and characters that XML forbids. */
const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]*$/u

const ASCII = /^[\x20-\x7e]*$/
const CLEAN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/** Longer than any emoji. Unicode does not limit the number of combining marks on a character. */
const MAX_GRAPHEME_LENGTH = 32

/** Untrusted text on one line, safe to show in a page or an SVG; empty if nothing is visible. */
export function cleanText(text: string): string {
  if (CLEAN.test(text)) return text
  const line = text.toWellFormed().replace(/\s+/g, ' ').replace(FORBIDDEN, '').trim()
  return BLANK.test(line) ? '' : line
}

/** Splits a text into graphemes. Long stacks of combining marks are truncated. */
export function* graphemesOf(text: string): Generator<string> {
  if (ASCII.test(text)) return yield* text
  for (const { segment } of graphemes.segment(text)) {
    yield segment.length > MAX_GRAPHEME_LENGTH
      ? segment.slice(0, MAX_GRAPHEME_LENGTH).toWellFormed()
      : segment
  }
}

/** Truncates the text to `limit` and appends "…". `sizeOf` measures a grapheme; by default, each counts as 1. */
export function shortenText(text: string, limit: number, sizeOf = countOf): string {
  if (text.length <= limit && (sizeOf === countOf || sizeOf === lengthOf) && ASCII.test(text)) return text
  const ellipsis = sizeOf('…')
  let size = 0
  let whole = ''
  let short = ''
  for (const grapheme of graphemesOf(text)) {
    size += sizeOf(grapheme)
    if (size > limit) return `${short.trimEnd()}…`
    whole += grapheme
    if (size + ellipsis <= limit) short = whole
  }
  return whole
}

/** Cleans and shortens a word such as a tag or a place. Very long text is cut first, which bounds the time. */
export function shortWord(text: string, limit: number): string {
  const most = (limit + 1) * MAX_GRAPHEME_LENGTH
  const word = cleanText(text.length > most ? text.slice(0, most) : text)
  return word.length > limit ? shortenText(word, limit, lengthOf) : word
}

const countOf = (_grapheme: string): number => 1

/** Measures UTF-16 code units, which bound the size of a page. A grapheme may have many of them. */
const lengthOf = (text: string): number => text.length

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Most figures are small: `Intl` takes ten times as long. */
export const formatFigure = (figure: number): string =>
  figure >= 0 && figure < 1000 && Number.isInteger(figure) ? String(figure) : figures.format(figure)

/** Formats a difference: "+3" or "−8". */
export const formatChange = (change: number): string =>
  `${change < 0 ? '\u2212' : '+'}${formatFigure(Math.abs(change))}`

/** Rounds a percentage, but never up to 100%. */
export const formatShare = (percent: number): string =>
  percent > 0 && percent < 1 ? 'below 1%' : `${percent === 100 ? 100 : Math.min(99, Math.round(percent))}%`

export const formatPeople = (number: number): string =>
  number === 1 ? '1 person' : `${formatFigure(number)} people`

export const nameOf = ({ id, profile }: Pick<Passport, 'id' | 'profile'>): string =>
  cleanText(profile.displayName) || `Passport ${id}`

const MAX_NAME_LENGTH = 60

export const shortNameOf = (passport: Pick<Passport, 'id' | 'profile'>): string =>
  shortenText(nameOf(passport), MAX_NAME_LENGTH, lengthOf)

/** A narrow column breaks "ada.eth" before the dot. */
export const renderName = (name: string, limit = MAX_NAME_LENGTH): Html => ({
  markup: escapeText(shortenText(name, limit, lengthOf)).replaceAll('.', '<wbr>.'),
})

/**
 * `atLeast` is the number of passports with at least this score. Returns "Top 4%" if they are 4% of `total`, and "No.
 * 1" for the single highest score. Percentages are rounded so that no score is overstated.
 */
export const describeTop = (atLeast: number, total: number): string =>
  atLeast <= 1 && total > 1 ? 'No. 1' : `Top ${Math.ceil((atLeast / total) * 100)}%`

/** Returns "ahead of 46%", or "highest of all"; empty if nobody has a lower score. */
export function describeAhead({ below, total }: { below: number; total: number }, whom = ''): string {
  if (below > 0 && below >= total - 1) return 'highest of all'
  const percent = below === 0 ? 0 : Math.floor((below / total) * 100)
  return percent === 0 ? '' : `ahead of ${percent}%${whom}`
}

/** Formats a rank: "1st", "12th" or "1,022nd". */
export function formatOrdinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  return `${formatFigure(number)}${(isTeen ? undefined : ENDINGS[number % 10]) ?? 'th'}`
}

/** Returns "488th of 1,000"; empty if there are no passports. */
export const describeRank = ({ rank, total }: { rank: number; total: number }): string =>
  total === 0 ? '' : `${formatOrdinal(Math.min(rank, total))} of ${formatFigure(total)}`

const ENDINGS: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

/** Formats a day for sentences: "3 November 2026". Tables have "3 Nov 2026". */
export const { format: formatDay } = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const shortDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

export const renderDay = (time: number): Html =>
  html`<time datetime="${new Date(time).toISOString().slice(0, 10)}">${shortDay.format(time)}</time>`

/** Two decimals are precise enough for drawing. */
export const toCoordinate = (number: number): number => Math.round(number * 100) / 100

/** Longer values are not accepted as filters. */
export const LONGEST_VALUE = 200

export const credentialAddress = (type: string): string =>
  `/credentials/${encodeURIComponent(type.toWellFormed())}`

const MAX_WORD_LENGTH = 40

/** A tag or place, which leads to the people who have it, or to another address. If that is empty, there is no link. */
export function renderWord(
  field: 'location' | 'tag',
  text: string,
  limit = MAX_WORD_LENGTH,
  to?: string,
): Html {
  const word = shortWord(text, limit)
  if (word === '') return html``
  const shown = `<bdi>${escapeText(word)}</bdi>`
  if (text.length > LONGEST_VALUE || to === '') return { markup: shown }
  return { markup: `<a href="${escapeText(to ?? addressOfValue(field, text))}" rel="nofollow">${shown}</a>` }
}

/** Text to copy. The script adds a button; its label has the noun. */
export const renderCopyable = (noun: string, text: Html): Html =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>\n`

/** Renders a setting. Web and email addresses in it become links, without the punctuation after them. */
export function renderAddress(text: string): Html {
  const parts = parseWebAddress(text) === text ? ['', text] : text.split(WEB_OR_EMAIL_ADDRESS)
  return html`${parts.map((part, at) => (at % 2 === 1 ? linkAddress(part) : html`${part}`))}`
}

const WEB_OR_EMAIL_ADDRESS = /(https?:\/\/\S*[\w/]|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)/

function linkAddress(address: string): Html {
  const isEmail = !address.includes('://')
  if (!isEmail && !parseWebAddress(address)) return html`${address}`
  return html`<a href="${isEmail ? 'mailto:' : ''}${address}" rel="noreferrer">${address}</a>`
}

/** Returns "0xde30…12cd"; short addresses stay whole. */
export function shortenWallet(address: string): string {
  const shown = shortWord(address, 128)
  return shown.length > 13 ? `${shown.slice(0, 6)}…${shown.slice(-4)}` : shown
}
