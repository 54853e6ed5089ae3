import type { Passport } from '../../domain/passport.ts'
import { escapeText, type Html, html } from './html.ts'
import { cleanText, lengthOf, shortenText, shortWord } from './sanitize.ts'

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Most numbers are integers, which need no slow `Intl` formatter. */
export function formatFigure(figure: number): string {
  if (!Number.isSafeInteger(figure)) return figures.format(figure)
  const digits = String(figure)
  return digits.length < 4 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}

export const formatPeople = (number: number): string =>
  number === 1 ? '1 person' : `${formatFigure(number)} people`

/** The display name, or the id of a passport without a name. */
export function nameOf({ id, profile }: Pick<Passport, 'id' | 'profile'>): string {
  return cleanText(profile.displayName) || `Passport ${id}`
}

const MAX_NAME_LENGTH = 60

export const shortNameOf = (passport: Pick<Passport, 'id' | 'profile'>): string =>
  shortenText(nameOf(passport), MAX_NAME_LENGTH, lengthOf)

/**
 * "Top 4%" if `atLeast` of all scores are at least as high, "No. 1" for the only highest one. Empty below the median. Rounded
 * up, so that no score is overstated.
 */
export function describeTop(atLeast: number, total: number): string {
  if (atLeast <= 1 && total > 1) return 'No. 1'
  const percent = Math.ceil((atLeast / total) * 100)
  return percent <= 50 ? `Top ${percent}%` : ''
}

/** "1st", "12th" or "1,022nd". */
export function formatOrdinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  return `${formatFigure(number)}${(isTeen ? undefined : ENDINGS[number % 10]) ?? 'th'}`
}

const ENDINGS: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

export const renderDay = (time: number): Html =>
  html`<time>${new Date(time).toISOString().slice(0, 10)}</time>`

/** Two decimals are precise enough for drawing. */
export const toCoordinate = (number: number): number => Math.round(number * 100) / 100

/** Longer values are not accepted as filters. */
export const LONGEST_VALUE = 200

export const credentialAddress = (type: string): string =>
  `/credentials/${encodeURIComponent(type.toWellFormed())}`

/** The people with a tag, place or credential. */
export const addressOfFilter = (name: 'tag' | 'place' | 'credential', value: string): string =>
  `/?${new URLSearchParams([[name, value]])}`

const MAX_WORD_LENGTH = 40

/** A tag or place, which leads to the people who have it. */
export function renderWord(name: 'place' | 'tag', text: string, limit = MAX_WORD_LENGTH): Html {
  const word = shortWord(text, limit)
  if (word === '') return html``
  const shown = `<bdi>${escapeText(word)}</bdi>`
  if (text.length > LONGEST_VALUE) return { markup: shown }
  return { markup: `<a href="${escapeText(addressOfFilter(name, text))}" rel="nofollow">${shown}</a>` }
}

/** "0xde30…12cd"; shorter addresses stay whole. */
export function shortenWallet(address: string): string {
  const shown = shortWord(address, 128)
  return shown.length > 13 ? `${shown.slice(0, 6)}…${shown.slice(-4)}` : shown
}
