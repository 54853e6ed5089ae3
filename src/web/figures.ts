import { type Html, html } from './html.ts'

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** "7", "10.25" or "1,842". */
export const formatNumber = (number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1000 ? String(number) : NUMBERS.format(number)

/** "1st", "12th" or "1,022nd". */
export function formatOrdinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  return `${formatNumber(number)}${(isTeen ? undefined : ENDINGS[number % 10]) ?? 'th'}`
}

const ENDINGS: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

/** "1 account", "2 accounts". */
export const formatCount = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`

/** The day of an instant, in UTC. */
export const renderDay = (time: number): Html =>
  html`<time>${new Date(time).toISOString().slice(0, 10)}</time>`

/** A hundredth of what is drawn is finer than eyes are. */
export const toCoordinate = (number: number): number => Math.round(number * 100) / 100
