import type { Html } from '../html.ts'

type Limits = { rows: number; bytes: number }

/** Renders the first items of a list that may be very long, so that a page stays small. `more` items are left out. */
export function renderSome<T>(
  items: readonly T[],
  render: (item: T, index: number) => Html,
  { rows, bytes }: Limits,
): { shown: Html[]; more: number } {
  const shown: Html[] = []
  let left = bytes
  for (const [index, item] of items.slice(0, rows).entries()) {
    const row = render(item, index)
    left -= Buffer.byteLength(row.markup)
    if (left < 0) break
    shown.push(row)
  }
  return { shown, more: items.length - shown.length }
}
