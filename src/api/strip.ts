/** The text without any of the letters at its ends. A pattern for the end takes the square of the time where many are within. */
export function strip(text: string, letters: string): string {
  let start = 0
  let end = text.length
  while (start < end && letters.includes(text.charAt(start))) start++
  while (start < end && letters.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
