// Search as you type: fetches the page that the form would open, and inserts its results.

const PAUSE_MILLISECONDS = 150

const input = /** @type {HTMLInputElement | null} */ (document.getElementById('search'))
const count = document.querySelector('[data-count]')
const results = document.querySelector('[data-results]')

let shown = new URLSearchParams(location.search).get('q')?.trim() ?? ''
let requested = shown
let timer = 0
let request = new AbortController()

function plan() {
  const typed = input.value.trim()
  if (typed === requested) return
  requested = typed
  clearTimeout(timer)
  request.abort()
  results.removeAttribute('aria-busy')
  if (typed !== shown) timer = setTimeout(search, PAUSE_MILLISECONDS, typed)
}

async function search(typed) {
  const own = new AbortController()
  request = own
  results.setAttribute('aria-busy', 'true')
  const address = typed === '' ? '/' : `/?${new URLSearchParams({ q: typed })}`
  try {
    const response = await fetch(address, { signal: own.signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (own.signal.aborted) return
    if (!response.ok) throw new Error(page.querySelector('.lead')?.textContent ?? '')
    show(page)
    shown = typed
    history.replaceState(history.state, '', address)
  } catch (error) {
    if (own.signal.aborted) return
    requested = shown
    count.textContent = `The search failed: ${error.message} Press Enter to try again.`
  }
  results.removeAttribute('aria-busy')
}

function show(page) {
  const found = page.querySelector('[data-results]')
  // An empty database has a start page without results.
  if (!found) return location.reload()
  document.title = page.title
  count.textContent = page.querySelector('[data-count]').textContent || page.querySelector('h1').textContent
  results.replaceChildren(...found.childNodes)
}

if (input && results) {
  input.addEventListener('input', plan)
  // Text may have been typed before this script was loaded.
  plan()
}
