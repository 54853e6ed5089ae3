/** Formats a number: "2,000". */
export const number = (value: number): string => value.toLocaleString('en')

/** Formats a number with its noun: "1 line", "2,000 lines". */
export const count = (value: number, noun: string): string =>
  `${number(value)} ${noun}${value === 1 ? '' : 's'}`

/** Formats a size: "512 bytes", "3.5 MB". */
export function size(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  if (power === 0) return count(bytes, 'byte')
  return `${(bytes / 1000 ** power).toFixed(1)} ${['kB', 'MB', 'GB', 'TB'][power - 1]}`
}
