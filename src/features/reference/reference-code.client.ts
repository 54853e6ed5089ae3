// Searches the list of calls as you type, copies code, and shows JSON as elements that can be folded. Values are text
// nodes, so that the text of the elements is the JSON. share.client.ts precedes it in the same script.
import { copy, find, makeButton } from '../../ui/assets/share.client.ts'

/** Longer responses are shown without colours. */
const MAX_COLOURED_LENGTH = 300_000

const search = find<HTMLInputElement>('#find')
export const calls = [...document.querySelectorAll<HTMLElement>('.call-list li, #others li')]

export const reference = find('.reference')

const SHORT_ITEM = 100

/** The CSS class of each type; other types have `json-word`. */
const CLASSES: Record<string, string> = { string: 'json-string', number: 'json-number' }

search.addEventListener('input', showCalls)
showCalls()

function showCalls() {
  const words = search.value.toLowerCase().split(/\s+/)
  for (const call of calls) {
    const text = call.textContent.toLowerCase()
    call.hidden = !words.every((word) => text.includes(word))
  }
  const shown = calls.filter(({ hidden }) => !hidden).length
  const text = shown === calls.length ? '' : `${shown} of ${calls.length} calls`
  find('.find-call [data-count]').textContent = text
}

for (const block of document.querySelectorAll('.code-block')) {
  const button = makeButton('Copy')
  button.addEventListener('click', () => {
    const code = [...block.querySelectorAll('pre')].find(({ offsetParent }) => offsetParent !== null)
    if (code) void copy(button, code.textContent, code)
  })
  find('.code-header', block).append(button)
}
for (const pre of document.querySelectorAll<HTMLElement>('[data-json-text]')) showJson(pre, pre.textContent)

export function showJson(pre: HTMLElement, text: string) {
  const json = text.length > MAX_COLOURED_LENGTH ? undefined : parseJson(text)
  const isJson = json && !json.error
  pre.replaceChildren(...(isJson ? toNodes(json.value, { indent: '', end: '', isOpen: true }) : [text]))
}

type Line = { name?: string | undefined; indent: string; end: string; isOpen: boolean }

function toNodes(value: unknown, { name, indent, end, isOpen }: Line): (Node | string)[] {
  const label =
    name === undefined ? [indent] : [indent, make('span', JSON.stringify(name), 'json-name'), ': ']
  if (typeof value !== 'object' || value === null) return [...label, toToken(name, value), `${end}\n`]
  const isList = Array.isArray(value)
  const [left, right] = isList ? (['[', ']'] as const) : (['{', '}'] as const)
  const entries = Object.entries(value)
  if (entries.length === 0) return [...label, `${left}${right}${end}\n`]
  const inner = entries.flatMap(([key, item], at) =>
    toNodes(item, {
      name: isList ? undefined : key,
      indent: `${indent}  `,
      end: at === entries.length - 1 ? '' : ',',
      // The first item of a list is open, to show its fields. Short items are open, too.
      isOpen: !isList || at === 0 || JSON.stringify(item).length < SHORT_ITEM,
    }),
  )
  const details = make('details')
  details.open = isOpen
  const summary = make('summary')
  // A line of its own needs no visible line break.
  const lineBreak = make('span', '\n')
  lineBreak.hidden = true
  summary.append(...label, left, lineBreak)
  summary.dataset.rest = ` … ${right}${end}`
  details.append(summary, ...inner, `${indent}${right}${end}\n`)
  return [details]
}

function toToken(name: string | undefined, value: unknown) {
  if (name === 'passport_id' && Number.isSafeInteger(value) && 'explorer' in reference.dataset)
    return passportLink(String(value), String(value))
  return make('span', JSON.stringify(value) as string, CLASSES[typeof value] ?? 'json-word')
}

export function passportLink(id: string, text: string) {
  const link = make('a', text)
  link.href = `/passports/${id}`
  return link
}

export function parseJson(text: string): { value?: unknown; error?: Error } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: error as Error }
  }
}

export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text = '', className = '') {
  const element = document.createElement(tag)
  element.textContent = text
  if (className !== '') element.className = className
  return element
}
