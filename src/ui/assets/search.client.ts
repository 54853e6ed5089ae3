// Search as you type: fetches the page that the form would open, and inserts its results. Arrow keys move through them.
// In the header, the results are links to the list, to filters and to people.

const PAUSE_MILLISECONDS = 150
const MOST_COMPARED = 4
const MOST_CHOICES = 6
const MOST_FILTERS = 3

// A page without results does not call the functions below.
const input = document.getElementById('search') as HTMLInputElement
const form = input?.form as HTMLFormElement
const count = document.querySelector('[data-count]') as HTMLElement
const results = document.querySelector('[data-results]') as HTMLElement
const isInHeader = 'linked' in (results?.dataset ?? {})

let shown = ''
let requested = ''
let timer: Timer | undefined
let request = new AbortController()

/** The address that the form would open, with its filters. */
function addressOf(typed: string) {
  const fields = isInHeader ? [] : [...new FormData(form)].filter(([name]) => name !== 'q')
  const text = typed.trim()
  const address = new URLSearchParams([...(text === '' ? [] : [['q', text]]), ...(fields as string[][])])
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

async function search(address: string) {
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
    count.textContent = `The search failed: ${(error as Error).message} Press Enter to try again.`
  }
  results.removeAttribute('aria-busy')
}

function show(page: Document) {
  const matches = page.querySelector('[data-results]')
  // An empty database has a start page without results.
  if (!matches) return location.reload()
  if (!isInHeader) document.title = page.title
  count.textContent = page.querySelector('[data-count]')?.textContent || titleOf(page)
  results.replaceChildren(...(isInHeader ? choicesOf(page, matches) : matches.childNodes))
  for (const part of document.querySelectorAll('[data-live]'))
    part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []))
  showSelected()
}

const titleOf = (page: Document) => page.querySelector('h1')?.textContent ?? ''

/** Returns links to the list, to suggested filters and to the first people. */
function choicesOf(page: Document, matches: Element) {
  const all = document.createElement('a')
  all.href = addressOf(input.value)
  all.textContent = titleOf(page)
  const filters = [...matches.querySelectorAll('.chips a')].slice(0, MOST_FILTERS)
  const items = [all, ...filters].map((link) => {
    const item = document.createElement('li')
    item.append(link)
    return item
  })
  const rows = [...matches.querySelectorAll('.ranking > [id]')]
  const people = rows.slice(0, MOST_CHOICES).map((row) => {
    const part = (selector: string) => row.querySelector(selector) as Element
    const item = document.createElement('li')
    const link = document.createElement('a')
    const score = document.createElement('span')
    link.href = `/passports/${(part('input') as HTMLInputElement).value}`
    const fact = row.querySelector('.about > :not(.pill)')?.textContent
    score.textContent = [part('.score').lastChild?.textContent, fact].filter(Boolean).join('\u00a0·\u00a0')
    score.className = 'soft'
    link.append(part('.rosette'), part('.name bdi'), ' ', score)
    item.append(link)
    return item
  })
  return [...items, ...people]
}

const linksOf = () => [...results.querySelectorAll<HTMLAnchorElement>('.chips a, .rows a, .name')]

/** Opens the only result. */
function open(event: Event) {
  const [person, second] = linksOf().filter(({ href }) => !href.includes('/?'))
  if (!person || second || shown !== addressOf(input.value)) return
  event.preventDefault()
  location.assign(person.href)
}

/** Arrow keys move between the search, the suggested filters and the people that it found. */
function move(event: KeyboardEvent) {
  const { key, altKey, ctrlKey, metaKey } = event
  const target = event.target as HTMLAnchorElement | HTMLInputElement
  if (altKey || ctrlKey || metaKey) return
  const isTyping = target instanceof HTMLInputElement && target.type !== 'checkbox'
  if (key === '/' && !isTyping) return focus(event, input)
  if (key === 'Escape') return target === input ? clear() : results.contains(target) && focus(event, input)
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return
  const links = linksOf()
  const at = links.indexOf(target as HTMLAnchorElement)
  if (target !== input && at === -1) return
  const next = at + (key === 'ArrowDown' ? 1 : -1)
  if (next === -1) return focus(event, input)
  const link = links[next]
  if (link) focus(event, link)
}

function focus(event: Event, element: HTMLElement) {
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
let selected = new Set<string>()

function readSelected() {
  try {
    selected = new Set(JSON.parse(sessionStorage.getItem('compare') ?? '[]'))
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

function select({ target }: Event) {
  const { checked, value } = target as HTMLInputElement
  if (!(target as Element).closest('.ranking')) return
  if (checked) selected.add(value)
  else selected.delete(value)
  saveSelected()
}

/** The link of a comparison to the list selects its people there. */
function selectCompared({ target }: Event) {
  const ids = (target as Element).closest<HTMLElement>('[data-select]')?.dataset.select
  if (!ids) return
  selected = new Set(ids.split(','))
  saveSelected()
}

/** Checks the boxes of selected people, adds those of other pages to the form, and counts all. */
function showSelected() {
  const bar = document.getElementById('compare')
  if (!bar) return
  const others = new Set(selected)
  for (const box of document.querySelectorAll<HTMLInputElement>('.ranking [type=checkbox]')) {
    box.checked = others.delete(box.value)
    box.disabled = !box.checked && selected.size >= MOST_COMPARED
  }
  for (const field of bar.querySelectorAll('[type=hidden]')) field.remove()
  for (const id of others) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name: 'ids', value: id })
    bar.append(field)
  }
  const button = bar.querySelector('[type=submit]') as HTMLButtonElement
  const hint = bar.querySelector('[aria-live]') as HTMLElement
  const people = document.createElement('span')
  people.textContent = selected.size === 1 ? ' person' : ' people'
  button.replaceChildren(`Compare ${selected.size}`, people)
  button.disabled = selected.size < 2 || selected.size > MOST_COMPARED
  hint.textContent =
    selected.size === 1 ? 'Select one more' : selected.size < MOST_COMPARED ? '' : `${MOST_COMPARED} at most`
}

function clearSelected({ target }: Event) {
  if ((target as Element).id !== 'compare') return
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
  form.addEventListener('submit', open)
  document.addEventListener('keydown', move)
  input.setAttribute('aria-keyshortcuts', '/')
  shown = addressOf(new URLSearchParams(location.search).get('q') ?? '')
  requested = shown
  // Text may have been typed before this script was loaded.
  plan()
}
