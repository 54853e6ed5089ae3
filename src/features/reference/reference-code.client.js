// Searches the list of calls as you type, copies code, and shows JSON as elements that can be folded. Values are text nodes, so that the text of the elements is
// the JSON. share.client.js precedes it in the same script.

/** Longer responses are shown without colours. */
const MAX_COLOURED_LENGTH = 300_000

const search = /** @type {HTMLInputElement | null} */ (document.getElementById('find'))
export const calls = [...document.querySelectorAll('.call-list li, #others li')]

export const reference = document.querySelector('.reference')

const SHORT_ITEM = 100

/** The CSS class of each type; other types have `json-word`. */
const CLASSES = { string: 'json-string', number: 'json-number' }

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
  document.querySelector('.find-call [data-count]').textContent = text
}

for (const block of document.querySelectorAll('.code-block')) {
  const button = makeButton('Copy')
  button.addEventListener('click', () => {
    const code = [...block.querySelectorAll('pre')].find(({ offsetParent }) => offsetParent !== null)
    void copy(button, code.textContent, code)
  })
  block.querySelector('.code-header').append(button)
}
for (const pre of document.querySelectorAll('[data-json-text]')) showJson(pre, pre.textContent)

export function showJson(pre, text) {
  const { value, error } = text.length > MAX_COLOURED_LENGTH ? { error: true } : parseJson(text)
  pre.replaceChildren(...(error ? [text] : toNodes(value, { indent: '', end: '', isOpen: true })))
}

function toNodes(value, { name, indent, end, isOpen }) {
  const label =
    name === undefined ? [indent] : [indent, make('span', JSON.stringify(name), 'json-name'), ': ']
  if (typeof value !== 'object' || value === null) return [...label, toToken(name, value), `${end}\n`]
  const isList = Array.isArray(value)
  const [left, right] = isList ? '[]' : '{}'
  const entries = Object.entries(value)
  if (entries.length === 0) return [...label, `${left}${right}${end}\n`]
  const inner = entries.flatMap(([key, each], at) =>
    toNodes(each, {
      name: isList ? undefined : key,
      indent: `${indent}  `,
      end: at === entries.length - 1 ? '' : ',',
      // The first item of a list is open, to show its fields. Short items are open, too.
      isOpen: !isList || at === 0 || JSON.stringify(each).length < SHORT_ITEM,
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

function toToken(name, value) {
  if (name === 'passport_id' && Number.isSafeInteger(value) && 'explorer' in reference.dataset)
    return passportLink(value, String(value))
  return make('span', JSON.stringify(value), CLASSES[typeof value] ?? 'json-word')
}

export function passportLink(id, text) {
  const link = make('a', text)
  link.href = `/passports/${id}`
  return link
}

export function parseJson(text) {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error }
  }
}

export function make(tag, text = '', className = '') {
  const element = document.createElement(tag)
  element.textContent = text
  if (className !== '') element.className = className
  return element
}
