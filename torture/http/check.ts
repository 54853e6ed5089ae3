import { readAnswer } from './answer.ts'
import type { Item } from './garbage.ts'

/** Throws unless these are right answers to the items, in their order, and the last of them is the connection's last. */
export function checkAnswers(bytes: Buffer, items: readonly Item[], end: Item): void {
  let at = 0
  for (const item of items) {
    const answer = readAnswer(bytes, at, item.method)
    if (!answer) throw new Error(`no answer to ${show(item.text)}`)
    if (!item.fits(answer))
      throw new Error(`${show(bytes.toString('latin1', at))} is the answer to ${show(item.text)}`)
    at = answer.end
  }
  let isFirst = true
  let isLast = false
  while (at < bytes.length) {
    const answer = readAnswer(bytes, at, 'GET')
    if (!answer) throw new Error(`${show(bytes.toString('latin1', at))} is half of an answer`)
    if (isLast) throw new Error('an answer comes after the last one')
    if (isFirst && !end.fits(answer))
      throw new Error(`${show(bytes.toString('latin1', at))} is the answer to ${show(end.text)}`)
    isFirst = false
    isLast = answer.closes
    at = answer.end
  }
  if (isFirst && !end.isWild) throw new Error(`no answer to ${show(end.text)}`)
}

const show = (text: string) => JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}...` : text)
