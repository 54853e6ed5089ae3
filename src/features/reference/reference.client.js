// Completes the page of a call: sends the form, and keeps the form in the URL.
// share.client.js and reference-code.client.js precede it in the same script.

const TIMEOUT_MILLISECONDS = 30_000
/** Longer bodies are left out of the URL. */
const MAX_BODY_IN_URL = 2000

const key = /** @type {HTMLInputElement} */ (document.getElementById('api-key'))
const form = document.querySelector('.call form')
const isBearer = 'bearer' in form.dataset
const fields = [...form.querySelectorAll('[data-in]')]
const block = document.querySelector('[data-response]')
const languages = document.querySelector('.code-tabs')
/** The pending request. */
let pending

const PYTHON_NAMES = { true: 'True', false: 'False', null: 'None' }

/** Writes indented JSON in the syntax of each language. */
const WRITE_JSON = {
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

/** Path and query. Commas are easier to read as they are. A single quote is encoded, because the examples quote URLs with it. */
function toTarget() {
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const { name, value, dataset } of fields) {
    const text = value.trim().toWellFormed()
    if (dataset.in === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(text))
    else if (dataset.in === 'query' && text !== '') query.set(name, text)
  }
  return (query.size === 0 ? path : `${path}?${query}`).replaceAll('%2C', ',').replaceAll("'", '%27')
}

function toRequest() {
  const body = form.elements.namedItem('body')?.value
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' })
  const sentKey = key.value.trim()
  if (sentKey !== '' && isBearer) headers.set('Authorization', `Bearer ${sentKey}`)
  else if (sentKey !== '') headers.set('X-API-KEY', sentKey)
  return { method: form.dataset.method, body, headers }
}

/** Returns the first invalid field and its message. */
function findProblem() {
  const odd = /[^!-~]/u.exec(key.value.trim())
  if (odd)
    return {
      field: key,
      text: `The key contains “${odd[0]}”. A key has only letters, digits and underscores: copy it again.`,
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
  document.querySelector('[data-problem]').textContent = problem?.text ?? ''
  if (problem) {
    problem.field?.setAttribute('aria-invalid', 'true')
    problem.field?.focus()
    return
  }
  saveState()
  pending?.abort()
  const own = new AbortController()
  pending = own
  delete block.dataset.ok
  block.querySelector('.responses input').checked = true
  block.setAttribute('aria-busy', 'true')
  const begin = performance.now()
  try {
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)])
    const response = await fetch(toTarget(), { ...toRequest(), signal })
    const text = await response.text()
    showResponse(response, text, Math.round(performance.now() - begin))
  } catch (error) {
    // A newer request replaced this one.
    if (own.signal.aborted) return
    const isLate = error.name === 'TimeoutError'
    showFailure(isLate ? 'No response in 30 seconds.' : `No response: ${error.message}.`)
  }
  block.removeAttribute('aria-busy')
}

function showResponse(response, text, milliseconds) {
  const size = new Blob([text]).size.toLocaleString('en')
  block.querySelector('.responses code').textContent = response.status
  showSummary(`${response.status} in ${milliseconds} ms, ${size} bytes`, response.ok)
  showHint(response, text)
  const headers = block.querySelector('[data-headers]')
  headers.hidden = false
  const rows = [...response.headers].flatMap(([name, value]) => [make('dt', name), make('dd', value)])
  headers.querySelector('dl').replaceChildren(...rows)
  showJson(block.querySelector('[data-body]'), text)
}

function showFailure(text) {
  showSummary(text, false)
  block.querySelector('[data-hint]').hidden = true
  block.querySelector('[data-headers]').hidden = true
  block.querySelector('[data-body]').textContent = ''
}

function showSummary(text, isOk) {
  const summary = block.querySelector('[data-summary]')
  block.querySelector('[data-title]').textContent = 'Response'
  summary.textContent = text
  block.dataset.ok = String(isOk)
  // On narrow screens the response is below the snippet.
  summary.scrollIntoView({ block: 'nearest' })
}

/** Shows a hint below the response: enter a key, or open the page of the passport. */
function showHint({ status }, text) {
  const hint = block.querySelector('[data-hint]')
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
  languages.querySelector('[data-key]').textContent = isSent
    ? ` \\\n  -H "${header}${/^[\w.-]+$/.test(sentKey) ? sentKey : variable}"`
    : ''
  const { value, error } = parseJson(form.elements.namedItem('body')?.value)
  if (error) return
  for (const part of languages.querySelectorAll('[data-json]')) {
    part.textContent = WRITE_JSON[part.dataset.json](JSON.stringify(value, null, 2))
  }
}

// The state of the page in the URL: the changed fields, and the language. Never the key.

function saveState() {
  const state = new URLSearchParams()
  for (const { name, value, defaultValue = '' } of fields) {
    if (value !== defaultValue && value.length <= MAX_BODY_IN_URL) state.set(name, value)
  }
  const language = languages.querySelector(':checked').value
  if (language !== 'curl') state.set('language', language)
  const query = state.size === 0 ? '' : `?${state}`
  history.replaceState(history.state, '', location.pathname + query + location.hash)
}

function loadState() {
  const state = new URLSearchParams(location.search)
  for (const field of fields) if (state.has(field.name)) field.value = state.get(field.name)
  const language = state.get('language')
  for (const radio of languages.querySelectorAll('input')) if (radio.value === language) radio.checked = true
}

function enhanceKey() {
  const button = document.querySelector('[data-show]')
  button.hidden = false
  button.addEventListener('click', () => {
    const isHidden = key.type === 'password'
    key.type = isHidden ? 'text' : 'password'
    button.textContent = isHidden ? 'Hide key' : 'Show key'
  })
}
