// Search as you type: fetches the page that the form would open, and inserts its results. Arrow keys move through them.
// In the header, the results are links to the list, to filters and to people.

const PAUSE_MILLISECONDS = 150
const MOST_COMPARED = 4
const MOST_CHOICES = 6
const MOST_FILTERS = 3

const input = /** @type {HTMLInputElement | null} */ (document.getElementById('search'))
const count = document.querySelector('[data-count]')
const results = document.querySelector('[data-results]')
const isInHeader = 'linked' in (results?.dataset ?? {})

let shown = ''
let requested = ''
let timer = 0
let request = new AbortController()

/** The address that the form would open, with its filters. */
function addressOf(typed) {
  const fields = isInHeader ? [] : [...new FormData(input.form)].filter(([name]) => name !== 'q')
  const query = new URLSearchParams(fields)
  const text = typed.trim()
  const address = new URLSearchParams([...(text === '' ? [] : [['q', text]]), ...query])
  return address.size === 0 ? '/' : `/?${address}`
}

function plan() {
  const address = addressOf(input.value)
  if (address === requested) return
  requested = address
  clearTimeout(timer)
  request.abort()
  results.removeAttribute('aria-busy')
  if (isInHeader && address === '/') {
    shown = address
    results.replaceChildren()
    count.textContent = ''
  }
  if (address !== shown) timer = setTimeout(search, PAUSE_MILLISECONDS, address)
}

async function search(address) {
  const own = new AbortController()
  request = own
  results.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(address, { signal: own.signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (own.signal.aborted) return
    if (!response.ok) throw new Error(page.querySelector('.lead')?.textContent ?? '')
    show(page)
    shown = address
    if (!isInHeader) history.replaceState(history.state, '', address)
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
  if (!isInHeader) document.title = page.title
  count.textContent = page.querySelector('[data-count]').textContent || page.querySelector('h1').textContent
  results.replaceChildren(...(isInHeader ? choicesOf(page, found) : found.childNodes))
  for (const part of document.querySelectorAll('[data-live]'))
    part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []))
  showSelected()
}

/** Returns links to the list, to suggested filters and to the first people. */
function choicesOf(page, found) {
  const all = document.createElement('a')
  all.href = addressOf(input.value)
  all.textContent = page.querySelector('h1').textContent
  const filters = [...found.querySelectorAll('.chips a')].slice(0, MOST_FILTERS)
  const items = [all, ...filters].map((link) => {
    const item = document.createElement('li')
    item.append(link)
    return item
  })
  const rows = [...found.querySelectorAll('.ranking > [id]')]
  const people = rows.slice(0, MOST_CHOICES).map((row) => {
    const [item, link, score] = ['li', 'a', 'span'].map((name) => document.createElement(name))
    link.href = `/passports/${row.querySelector('input').value}`
    const fact = row.querySelector('.about > :not(.pill)')?.textContent
    score.textContent = [row.querySelector('.score').lastChild.textContent, fact]
      .filter(Boolean)
      .join('\u00a0·\u00a0')
    score.className = 'soft'
    link.append(row.querySelector('.rosette'), row.querySelector('.name bdi'), ' ', score)
    item.append(link)
    return item
  })
  return [...items, ...people]
}

const linksOf = () => [...results.querySelectorAll('.chips a, .rows a, .name')]

/** Opens the only result. */
function open(event) {
  const [only, other] = linksOf().filter(({ href }) => !href.includes('/?'))
  if (!only || other || shown !== addressOf(input.value)) return
  event.preventDefault()
  location.assign(only.href)
}

/** Arrow keys move between the search, the suggested filters and the people that it found. */
function move(event) {
  const { key, target, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey) return
  const isTyping = target instanceof HTMLInputElement && target.type !== 'checkbox'
  if (key === '/' && !isTyping) return focus(event, input)
  if (key === 'Escape') return target === input ? clear() : results.contains(target) && focus(event, input)
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return
  const links = linksOf()
  const at = links.indexOf(target)
  if (target !== input && at === -1) return
  const next = at + (key === 'ArrowDown' ? 1 : -1)
  if (next === -1) return focus(event, input)
  if (links[next]) focus(event, links[next])
}

function focus(event, element) {
  event.preventDefault()
  element.focus()
  if (element === input) input.select()
}

/** Not every browser clears a search field with Escape. */
function clear() {
  input.value = ''
  plan()
}

/** The ids of the people that are selected for a comparison, also on other pages of this tab. */
let selected = new Set()

function readSelected() {
  try {
    selected = new Set(JSON.parse(sessionStorage.getItem('compare')) ?? [])
  } catch {
    // The storage is blocked.
  }
  showSelected()
}

function saveSelected() {
  try {
    sessionStorage.setItem('compare', JSON.stringify([...selected]))
  } catch {
    // The storage is blocked.
  }
  showSelected()
}

function select({ target }) {
  if (!target.closest('.ranking')) return
  if (target.checked) selected.add(target.value)
  else selected.delete(target.value)
  saveSelected()
}

/** The link of a comparison to the list selects its people there. */
function selectCompared({ target }) {
  const ids = target.closest('[data-select]')?.dataset.select
  if (!ids) return
  selected = new Set(ids.split(','))
  saveSelected()
}

/** Checks the boxes of selected people, adds those of other pages to the form, and counts all. */
function showSelected() {
  const bar = document.getElementById('compare')
  if (!bar) return
  const others = new Set(selected)
  for (const box of document.querySelectorAll('.ranking [type=checkbox]')) {
    box.checked = others.delete(box.value)
    box.disabled = !box.checked && selected.size >= MOST_COMPARED
  }
  for (const field of bar.querySelectorAll('[type=hidden]')) field.remove()
  for (const id of others) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name: 'ids', value: id })
    bar.append(field)
  }
  const button = bar.querySelector('[type=submit]')
  const people = document.createElement('span')
  people.textContent = selected.size === 1 ? ' person' : ' people'
  button.replaceChildren(`Compare ${selected.size}`, people)
  button.disabled = selected.size < 2 || selected.size > MOST_COMPARED
  bar.querySelector('[aria-live]').textContent =
    selected.size === 1 ? 'Select one more' : selected.size < MOST_COMPARED ? '' : `${MOST_COMPARED} at most`
}

function clearSelected({ target }) {
  if (target.id !== 'compare') return
  selected.clear()
  // Both events are sent before the form is read or reset.
  setTimeout(saveSelected)
}

if (input && results) {
  document.addEventListener('change', select)
  document.addEventListener('click', selectCompared)
  for (const event of ['reset', 'submit']) document.addEventListener(event, clearSelected)
  window.addEventListener('pageshow', readSelected)

  input.addEventListener('input', plan)
  input.form.addEventListener('submit', open)
  document.addEventListener('keydown', move)
  input.setAttribute('aria-keyshortcuts', '/')
  shown = addressOf(new URLSearchParams(location.search).get('q') ?? '')
  requested = shown
  // Text may have been typed before this script was loaded.
  plan()
}
