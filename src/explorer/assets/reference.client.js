// Completes the reference page: sends the forms, copies code, and keeps the form in the URL.
// reference-json.client.js precedes it in the same script.

const TIMEOUT_MILLISECONDS = 30_000
/** Longer bodies are left out of the URL. */
const MAX_BODY_IN_URL = 2000

const key = /** @type {HTMLInputElement} */ (document.getElementById('api-key'))
const forms = [...document.querySelectorAll('.call form')]
const radios = [...document.querySelectorAll('.code-tabs input')]
/** The pending request of each form. */
const requests = new Map()

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

const fieldsOf = (form) => [...form.querySelectorAll('[data-in]')]
const sectionOf = (form) => form.closest('section')

loadState()
for (const form of forms) {
  form.addEventListener('input', () => showSnippets(form))
  form.addEventListener('change', () => saveState(form))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  showSnippets(form)
}
for (const radio of radios) {
  radio.addEventListener('change', () => {
    chooseLanguage(radio.value)
    saveState(formOfHash())
  })
}
for (const bar of document.querySelectorAll('.code-header')) bar.append(copyButton(bar.parentElement))
for (const pre of document.querySelectorAll('[data-json-text]')) showJson(pre, pre.textContent)
addEventListener('hashchange', () => saveState(formOfHash()))
enhanceKey()
enhanceContents()

// The request of a form

/** Path and query. A single quote is encoded, because the examples quote URLs with it. */
function toTarget(form) {
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const { name, value, dataset } of fieldsOf(form)) {
    const text = value.trim().toWellFormed()
    if (dataset.in === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(text))
    else if (dataset.in === 'query' && text !== '') query.set(name, text)
  }
  return (query.size === 0 ? path : `${path}?${query}`).replaceAll("'", '%27')
}

function toRequest(form) {
  const body = form.elements.namedItem('body')?.value
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' })
  const sentKey = key.value.trim()
  if (sentKey !== '') headers.set('X-API-KEY', sentKey)
  return { method: form.dataset.method, body, headers }
}

/** Returns the first invalid field and its message. A missing key has no field, because focusing it would hide the form. */
function findProblem(form) {
  const odd = /[^!-~]/u.exec(key.value.trim())
  if (odd)
    return {
      field: key,
      text: `The key contains “${odd[0]}”. A key has only letters, digits and underscores: copy it again.`,
    }
  if ('needsKey' in form.dataset && key.value.trim() === '')
    return { text: 'This call needs a key. Enter yours in “Your key” above.' }
  for (const field of fieldsOf(form)) {
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

async function send(form) {
  const problem = findProblem(form)
  for (const field of [key, ...fieldsOf(form)]) field.removeAttribute('aria-invalid')
  form.querySelector('[data-problem]').textContent = problem?.text ?? ''
  if (problem) {
    problem.field?.setAttribute('aria-invalid', 'true')
    problem.field?.focus()
    return
  }
  saveState(form)
  requests.get(form)?.abort()
  const own = new AbortController()
  requests.set(form, own)
  const block = sectionOf(form).querySelector('[data-response]')
  delete block.dataset.ok
  block.setAttribute('aria-busy', 'true')
  const begin = performance.now()
  try {
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)])
    const response = await fetch(toTarget(form), { ...toRequest(form), signal })
    const text = await response.text()
    showResponse(block, response, text, Math.round(performance.now() - begin))
  } catch (error) {
    // A newer request of this form replaced this one.
    if (own.signal.aborted) return
    const isLate = error.name === 'TimeoutError'
    showFailure(block, isLate ? 'No response in 30 seconds.' : `No response: ${error.message}.`)
  }
  block.removeAttribute('aria-busy')
}

function showResponse(block, response, text, milliseconds) {
  const size = new Blob([text]).size.toLocaleString('en')
  showSummary(block, `${response.status} in ${milliseconds} ms, ${size} bytes`, response.ok)
  showHint(block, response, text)
  const headers = block.querySelector('[data-headers]')
  headers.hidden = false
  const rows = [...response.headers].flatMap(([name, value]) => [make('dt', name), make('dd', value)])
  headers.querySelector('dl').replaceChildren(...rows)
  showJson(block.querySelector('[data-body]'), text)
}

function showFailure(block, text) {
  showSummary(block, text, false)
  block.querySelector('[data-hint]').hidden = true
  block.querySelector('[data-headers]').hidden = true
  block.querySelector('[data-body]').textContent = ''
}

function showSummary(block, text, isOk) {
  const summary = block.querySelector('[data-summary]')
  block.querySelector('[data-title]').textContent = 'Response'
  summary.textContent = text
  block.dataset.ok = String(isOk)
  // On narrow screens the response is below the snippet.
  summary.scrollIntoView({ block: 'nearest' })
}

/** Shows a hint below the response: enter a key, or open the page of the passport. */
function showHint(block, { status }, text) {
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

function showSnippets(form) {
  const section = sectionOf(form)
  const url = reference.dataset.origin + toTarget(form)
  for (const part of section.querySelectorAll('[data-url]')) part.textContent = url
  const { value, error } = parseJson(form.elements.namedItem('body')?.value)
  if (error) return
  for (const part of section.querySelectorAll('[data-json]')) {
    part.textContent = WRITE_JSON[part.dataset.json](JSON.stringify(value, null, 2))
  }
}

/** Selects the language in all snippets of the page. */
function chooseLanguage(language) {
  for (const radio of radios) if (radio.value === language) radio.checked = true
}

// The state of the page in the URL: the changed fields of one form, and the language. Never the key.

function formOfHash() {
  return document.getElementById(location.hash.slice(1))?.querySelector('form') ?? undefined
}

function saveState(form) {
  const state = new URLSearchParams()
  for (const { name, value, defaultValue = '' } of form ? fieldsOf(form) : []) {
    if (value !== defaultValue && value.length <= MAX_BODY_IN_URL) state.set(name, value)
  }
  const language = document.querySelector('[name^=language]:checked')?.value
  if (language !== 'curl') state.set('language', language)
  const hash = form ? `#${sectionOf(form).id}` : location.hash
  const query = state.size === 0 ? '' : `?${state}`
  history.replaceState(history.state, '', location.pathname + query + hash)
}

function loadState() {
  const state = new URLSearchParams(location.search)
  const form = formOfHash()
  for (const field of form ? fieldsOf(form) : []) {
    if (state.has(field.name)) field.value = state.get(field.name)
  }
  chooseLanguage(state.get('language'))
}

// Copying, the key field and the contents

/** Copies the visible code of a block. */
function copyButton(block) {
  const button = make('button', 'Copy', 'quiet')
  button.type = 'button'
  button.addEventListener('click', async () => {
    const code = [...block.querySelectorAll('pre')].find(({ offsetParent }) => offsetParent !== null)
    button.textContent = (await copy(code)) ? 'Copied' : 'Selected'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  return button
}

/** Pages over plain HTTP have no clipboard API: the text is selected instead. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  }
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

/** Marks the section that is being read. On narrow screens, a chosen link closes the menu. */
function enhanceContents() {
  const menu = document.querySelector('.contents-menu')
  menu.addEventListener('click', ({ target }) => {
    if (target.closest('a')) menu.open = false
  })
  const visible = new Set()
  const sections = [...document.querySelectorAll('.calls > section')]
  const mark = () => {
    const current = sections.find((section) => visible.has(section))
    for (const link of reference.querySelectorAll('nav a[href^="#"]')) {
      if (current && link.hash === `#${current.id}`) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target)
        else visible.delete(target)
      }
      mark()
    },
    { rootMargin: '-10% 0px -70%' },
  )
  for (const section of sections) observer.observe(section)
}
