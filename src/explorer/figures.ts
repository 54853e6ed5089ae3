import { type Html, html } from './html.ts'
import { formatFigure } from './wording.ts'

/** "1st", "12th" or "1,022nd". */
export function formatOrdinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  return `${formatFigure(number)}${(isTeen ? undefined : ENDINGS[number % 10]) ?? 'th'}`
}

const ENDINGS: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

/** "1 account", "2 accounts". */
export const formatCount = (count: number, noun: string): string =>
  `${formatFigure(count)} ${noun}${count === 1 ? '' : 's'}`

const DAY = 86_400_000
/** Much of a page is days, and mostly the same ones: each is written once. */
const days = new Map<number, Html>()
const MOST_DAYS = 20_000

/** The day of an instant, in UTC. */
export function renderDay(time: number): Html {
  const number = Math.floor(time / DAY)
  const known = days.get(number)
  if (known) return known
  if (days.size >= MOST_DAYS) days.clear()
  const day = html`<time>${new Date(number * DAY).toISOString().slice(0, 10)}</time>`
  days.set(number, day)
  return day
}

/** A hundredth of what is drawn is finer than eyes are. */
export const toCoordinate = (number: number): number => Math.round(number * 100) / 100
