import type { Order } from '../order.ts'
import { createRecent } from '../recent.ts'
import type { Steps } from '../turns.ts'
import { createFilter, GROUP, LONGEST } from './filter.ts'
import { type Counted, findPage, type NameParts } from './keyword-search.ts'
import { findRuns } from './runs.ts'
import type { NameText } from './text.ts'

/** A row of the filter is as many blocks as it takes to stay below: a limit of its memory. */
const MOST_ROWS = 32_768

/** What is in so many names a row is in most rows. */
const COMMON = 1.3

/** Keywords that are remembered with what was counted of them. */
const REMEMBERED = 256

/** Finds passports by any part of their names, as they were when `order` was read. */
export type NameIndex = NameParts & {
  order: Order
  page(keyword: string, offset: number, size: number): Steps<{ ids: number[]; total: number }>
  /** Closes the files of the names, as soon as no search is under way. */
  close(): void
}

/** Indexes the names of all passports of `order`. Counts of the same names are taken over from the one that is in force. */
export function* indexNames(order: Order, text: NameText, inForce?: NameIndex): Steps<NameIndex> {
  const runs = inForce?.text.names === text.names ? inForce.runs : yield* findRuns(text)
  const perRow = Math.max(1, Math.ceil(text.length / MOST_ROWS))
  const rows = Math.ceil(text.length / perRow)
  const common = yield* runs.list(LONGEST, rows * COMMON)
  const filter = createFilter(Math.ceil(rows / GROUP), common, text.createFile)
  for (let row = 0; row < rows; row++) {
    for (let at = row * perRow; at < Math.min((row + 1) * perRow, text.length); at++) {
      filter.add(row % GROUP, text.block(at))
      yield
    }
    if (row % GROUP === GROUP - 1 || row === rows - 1) filter.put(Math.floor(row / GROUP))
  }
  return createNameIndex(order, { text, filter: yield* filter.end(), runs, perRow })
}

function createNameIndex(order: Order, parts: NameParts): NameIndex {
  const recent = createRecent<Counted>(REMEMBERED)
  let searches = 0
  let isOver = false

  function closeUnused(): void {
    if (isOver && searches === 0) parts.text.close()
  }

  function* search(keyword: string, offset: number, size: number): ReturnType<NameIndex['page']> {
    try {
      yield
      // No name contains it: it ends them.
      if (keyword.includes('\0')) return { ids: [], total: 0 }
      const counted = recent.find(keyword) ?? { total: undefined, before: [0] }
      // Others who ask for it meanwhile go on with what is counted already.
      recent.keep(keyword, counted)
      const { ranks, total } = yield* findPage(parts, Buffer.from(keyword), counted, offset, size)
      // Most have no other page.
      if (total <= size) recent.forget(keyword)
      return { ids: ranks.map((rank) => order.ids[rank] as number), total }
    } finally {
      searches--
      closeUnused()
    }
  }

  return {
    ...parts,
    order,
    page(keyword, offset, size) {
      // It is under way before its first step: the files must not be closed until then.
      searches++
      const steps = search(keyword, offset, size)
      // One that has not begun would not notice that it is ended.
      steps.next()
      return steps
    },
    close() {
      isOver = true
      closeUnused()
    },
  }
}
