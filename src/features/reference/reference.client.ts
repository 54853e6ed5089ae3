// Completes the page of a call: sends the form, and keeps the form in the URL.
// share.client.ts and reference-code.client.ts precede it in the same script.
import { find } from '../../ui/assets/share.client.ts'
import { make, parseJson, passportLink, reference, showJson } from './reference-code.client.ts'

/** Longer bodies are left out of the URL. */
const MAX_BODY_IN_URL = 2000

const key = find<HTMLInputElement>('#api-key')
const form = find<HTMLFormElement>('.call form')
const isBearer = 'bearer' in form.dataset
/** Also text areas and lists of choices. */
const fields = [...form.querySelectorAll<HTMLInputElement>('[data-in]')]
const bodyField = fields.find(({ name }) => name === 'body')
const block = find('[data-response]')
const languages = find('.code-tabs')
/** The pending request. */
let pending: AbortController | undefined

const PYTHON_NAMES: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

/** Writes indented JSON in the syntax of each language. */
const WRITE_JSON: Record<string, (json: string) => string> = {
  curl: (json) => json.replaceAll('\n', '\n  ').replaceAll("'", "'\\''"),
  javascript: (json) => json.replaceAll('\n', '\n  '),
  python: (json) =>
    json
      .replaceAll('\n', '\n    ')
      .replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => PYTHON_NAMES[token] ?? token),
}

loadState()
form.addEventListener('input', showSnippets)
key.addEventListener('input', showSnippets)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void send()
})
for (const part of [form, languages]) part.addEventListener('change', saveState)
showSnippets()
enhanceKey()

// The request

/**
 * Path and query. Commas are easier to read as they are. A single quote is encoded, because the examples quote URLs
 * with it.
 */
function toTarget() {
  const query = new URLSearchParams()
  let path = form.dataset.path as string
  for (const { name, value, dataset } of fields) {
    const text = value.trim().toWellFormed()
    if (dataset.in === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(text))
    else if (dataset.in === 'query' && text !== '') query.set(name, text)
  }
  return (query.size === 0 ? path : `${path}?${query}`).replaceAll('%2C', ',').replaceAll("'", '%27')
}

function toRequest(): RequestInit {
  const body = bodyField?.value
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' })
  const sentKey = key.value.trim()
  if (sentKey !== '' && isBearer) headers.set('Authorization', `Bearer ${sentKey}`)
  else if (sentKey !== '') headers.set('X-API-KEY', sentKey)
  return { method: form.dataset.method as string, body: body ?? null, headers }
}

/** Returns the first invalid field and its message. */
function findProblem() {
  const odd = /[^!-~]/u.exec(key.value.trim())
  if (odd)
    return {
      field: key,
      text: `The key contains “${odd[0]}”, which no key has: copy it again.`,
    }
  if ('needsKey' in form.dataset && key.value.trim() === '')
    return { field: key, text: 'This call needs a key. Enter yours in “Your key” above.' }
  for (const field of fields) {
    const value = field.value.trim()
    if (field.required && value === '') return { field, text: `${field.name} is blank. Enter a value.` }
    // In a URL, "." and ".." are folders.
    if (field.dataset.in === 'path' && /^\.\.?$/.test(value))
      return { field, text: `${field.name} is “${value}”, which cannot be sent in a path.` }
    const error = field.dataset.in === 'body' ? parseJson(value).error : undefined
    if (error) return { field, text: `The body is not JSON: ${error.message}` }
  }
  return undefined
}

async function send() {
  const problem = findProblem()
  for (const field of [key, ...fields]) field.removeAttribute('aria-invalid')
  find('[data-problem]').textContent = problem?.text ?? ''
  if (problem) {
    problem.field.setAttribute('aria-invalid', 'true')
    problem.field.focus()
    return
  }
  saveState()
  pending?.abort()
  const own = new AbortController()
  pending = own
  delete block.dataset.ok
  find<HTMLInputElement>('.responses input', block).checked = true
  block.setAttribute('aria-busy', 'true')
  const begin = performance.now()
  try {
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(30_000)])
    const response = await fetch(toTarget(), { ...toRequest(), signal })
    const text = await response.text()
    showResponse(response, text, Math.round(performance.now() - begin))
  } catch (error) {
    // A newer request replaced this one.
    if (own.signal.aborted) return
    const { name, message } = error as Error
    showFailure(name === 'TimeoutError' ? 'No response in 30 seconds.' : `No response: ${message}.`)
  }
  block.removeAttribute('aria-busy')
}

function showResponse(response: Response, text: string, milliseconds: number) {
  const size = new Blob([text]).size.toLocaleString('en')
  find('.responses code', block).textContent = String(response.status)
  showSummary(`${response.status} in ${milliseconds} ms, ${size} bytes`, response.ok)
  showHint(response, text)
  const headers = find('[data-headers]', block)
  headers.hidden = false
  const rows = [...response.headers].flatMap(([name, value]) => [make('dt', name), make('dd', value)])
  find('dl', headers).replaceChildren(...rows)
  showJson(find('[data-body]', block), text)
}

function showFailure(text: string) {
  showSummary(text, false)
  find('[data-hint]', block).hidden = true
  find('[data-headers]', block).hidden = true
  find('[data-body]', block).textContent = ''
}

function showSummary(text: string, isOk: boolean) {
  const summary = find('[data-summary]', block)
  find('[data-title]', block).textContent = 'Response'
  summary.textContent = text
  block.dataset.ok = String(isOk)
  // On narrow screens the response is below the snippet.
  summary.scrollIntoView({ block: 'nearest' })
}

/** Shows a hint below the response: enter a key, or open the page of the passport. */
function showHint({ status }: Response, text: string) {
  const hint = find('[data-hint]', block)
  const id = /"passport_id":(\d+)/.exec(text)?.[1]
  const isPage = id !== undefined && 'explorer' in reference.dataset
  hint.hidden = status !== 401 && !isPage
  if (status === 401) {
    const action = make('a', key.value.trim() === '' ? 'Enter a key above' : 'Check the key above')
    action.href = '#api-key'
    hint.replaceChildren(action, ', then send the request again.')
  } else if (isPage) {
    hint.replaceChildren(passportLink(id, `Open the page of passport ${id}`))
  }
}

// Snippets

function showSnippets() {
  const url = reference.dataset.origin + toTarget()
  for (const part of languages.querySelectorAll('[data-url]')) part.textContent = url
  const sentKey = key.value.trim()
  // Only letters, digits and underscores need no quoting in a shell.
  const [header, variable] = isBearer ? ['Authorization: Bearer ', '$TOKEN'] : ['X-API-KEY: ', '$KEY']
  const isSent = sentKey !== '' || isBearer || 'needsKey' in form.dataset
  find('[data-key]', languages).textContent = isSent
    ? ` \\\n  -H "${header}${/^[\w.-]+$/.test(sentKey) ? sentKey : variable}"`
    : ''
  const { value, error } = parseJson(bodyField?.value ?? '')
  if (error) return
  for (const part of languages.querySelectorAll<HTMLElement>('[data-json]'))
    part.textContent = WRITE_JSON[part.dataset.json ?? '']?.(JSON.stringify(value, null, 2)) ?? ''
}

// The state of the page in the URL: the changed fields, and the language. Never the key.

function saveState() {
  const state = new URLSearchParams()
  for (const { name, value, defaultValue = '' } of fields) {
    if (value !== defaultValue && value.length <= MAX_BODY_IN_URL) state.set(name, value)
  }
  const language = find<HTMLInputElement>(':checked', languages).value
  if (language !== 'curl') state.set('language', language)
  const query = state.size === 0 ? '' : `?${state}`
  history.replaceState(history.state, '', location.pathname + query + location.hash)
}

function loadState() {
  const state = new URLSearchParams(location.search)
  for (const field of fields) field.value = state.get(field.name) ?? field.value
  const language = state.get('language')
  for (const radio of languages.querySelectorAll('input')) if (radio.value === language) radio.checked = true
}

function enhanceKey() {
  const button = find('[data-show]')
  button.hidden = false
  button.addEventListener('click', () => {
    const isHidden = key.type === 'password'
    key.type = isHidden ? 'text' : 'password'
    button.textContent = isHidden ? 'Hide key' : 'Show key'
  })
}
