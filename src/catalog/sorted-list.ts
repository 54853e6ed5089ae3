import type { ListRequest, Position } from '../domain/lists/list-request.ts'

/** Passports by score, highest first, equal scores by id; or by id. */
export type SortedList = { length: number; at(index: number): Position }

export type ListPage = {
  ids: number[]
  /** The values of the sort field. */
  values: number[]
  /** The position of the last passport; `undefined` on the last page. */
  next: Position | undefined
}

type Cut = Pick<ListRequest, 'sort' | 'after' | 'limit' | 'offset' | 'step'>

/** The first passports after a position, in either direction. */
export function cutPage(list: SortedList, request: Cut): ListPage {
  const { sort, after, limit, offset = 0, step = 1 } = request
  const isById = sort.field === 'passport_id'
  const isReversed = isById === sort.descending
  const isBefore = (one: Position, other: Position) =>
    isById || one.value === other.value ? one.id < other.id : one.value > other.value
  const countTo = (condition: (index: number) => boolean) => countWhile(list.length, condition)
  const first = isReversed
    ? (after ? countTo((index) => isBefore(list.at(index), after)) : list.length) - 1 - offset
    : (after ? countTo((index) => !isBefore(after, list.at(index))) : 0) + offset
  const ids: number[] = []
  const values: number[] = []
  let last: number | undefined
  for (let index = first; index >= 0 && index < list.length && ids.length < limit; ) {
    const { id, value } = list.at(index)
    ids.push(id)
    values.push(value)
    last = index
    index += isReversed ? -step : step
  }
  const isEnd = last === undefined || last === (isReversed ? 0 : list.length - 1)
  return { ids, values, next: isEnd ? undefined : list.at(last as number) }
}

/** Binary search: the number of leading indexes for which the condition holds. */
export function countWhile(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}
