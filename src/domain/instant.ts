const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/i

/** How instants are mostly written, on a day that every month has: these need no further look. */
const USUAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

const MINUTE = 60_000

/** The years 0000 to 9999: others are written in another form. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999]

/** A day, or an instant in ISO 8601, as epoch milliseconds. Without an offset it is in UTC. */
export function parseInstant(text: string): number | undefined {
  if (USUAL.test(text)) return Date.parse(text)
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  // Parts that are left out are zero.
  const part = (group: number) => Number(match[group] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second, offsetHour, offsetMinute] = [part(4), part(5), part(6), part(9), part(10)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined
  const milliseconds = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000)
  const instant = utc(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds
  const offset = (offsetHour * 60 + offsetMinute) * MINUTE
  const result = match[8] === '-' ? instant + offset : instant - offset
  return result >= FIRST && result <= LAST ? result : undefined
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0)
}

/** `Date.UTC` takes the years 0 to 99 for those after 1900. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/** An instant for people: "2026-12-01 09:00 UTC", with seconds where there are any. */
export function formatInstant(time: number): string {
  const text = new Date(time).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, text.slice(17, 19) === '00' ? 16 : 19)} UTC`
}
