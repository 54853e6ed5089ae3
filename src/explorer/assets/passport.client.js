// Adds copying and sorting to the page of a passport, and looks again while its score is worked out.

const FIRST_WAIT = 2000
const LONGEST_WAIT = 10_000
const PATIENCE = 5 * 60_000

const main = document.getElementById('main')
const news = document.createElement('p')
news.className = 'unseen'
news.setAttribute('role', 'status')
news.setAttribute('aria-live', 'polite')
document.body.append(news)

/** By which column, and whether from the highest down. */
let order = { column: 1, down: true }

enhance()
void follow()

function enhance() {
  for (const line of main.querySelectorAll('.copyable')) line.append(copyButton(line))
  const follows = main.querySelector('[data-follows]')
  if (follows) follows.hidden = false
  const how = main.querySelector('#how')
  how?.addEventListener('toggle', () => how.open && showLines(how))
  const table = main.querySelector('#credentials table')
  if (table) makeSortable(table)
}

/** Puts the lines of their own page in the place of the link to it. Where they cannot be had, the link stays. */
async function showLines(how) {
  const place = how.querySelector('[data-lines]')
  if (!place) return
  const page = await read(place.querySelector('a').href)
  const lines = page?.getElementById('lines')
  if (lines) place.replaceWith(document.adoptNode(lines))
}

function copyButton(line) {
  const button = makeButton('Copy')
  button.setAttribute('aria-label', `Copy ${line.dataset.copy}`)
  button.addEventListener('click', async () => {
    const isDone = await copy(line.querySelector('code'))
    button.textContent = isDone ? 'Copied' : 'Selected'
    news.textContent = isDone ? 'Copied.' : 'Selected: press Control or Command and C to copy.'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  return button
}

/** Where the page came over plain HTTP there is no clipboard: then the text is selected at least. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  }
}

function makeSortable(table) {
  const groups = [...table.tBodies].map((body) => ({ body, rows: [...body.rows].slice(1) }))
  const heads = [...table.tHead.rows[0].cells]
  const show = () => {
    for (const [column, head] of heads.entries()) {
      if (column === order.column) head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending')
      else head.removeAttribute('aria-sort')
    }
    // Rows that are equal stay as the server has them.
    for (const { body, rows } of groups) body.append(...rows.toSorted(compareRows))
  }
  for (const [column, head] of heads.entries()) {
    const button = makeButton(head.textContent)
    button.addEventListener('click', () => {
      // Names begin at A; scores and dates at the highest and the latest.
      order = { column, down: order.column === column ? !order.down : column > 0 }
      show()
    })
    head.replaceChildren(button)
  }
  table.classList.add('sortable')
  show()
}

const letters = new Intl.Collator('en', { numeric: true })

function compareRows(one, other) {
  const [a, b] = [keyOf(one), keyOf(other)]
  // What is not known comes last, either way.
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const upward = typeof a === 'number' ? a - b : letters.compare(a, b)
  return order.down ? -upward : upward
}

function keyOf(row) {
  const cell = row.cells[order.column]
  if (order.column === 0) return cell.firstChild.textContent
  return order.column === 1 ? Number(row.dataset.score) : cell.querySelector('time')?.textContent
}

function makeButton(text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text
  return button
}

async function follow() {
  const end = Date.now() + PATIENCE
  for (
    let wait = FIRST_WAIT;
    document.getElementById('recalculating');
    wait = Math.min(wait * 1.3, LONGEST_WAIT)
  ) {
    if (Date.now() > end) {
      main.querySelector('[data-follows]').textContent =
        'It takes longer than usual: reload the page to look again.'
      return
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
    const page = document.hidden ? undefined : await read(location.href)
    if (page && !page.getElementById('recalculating')) show(page)
  }
}

/** A page as it is now; nothing where it cannot be had. */
async function read(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(LONGEST_WAIT) })
    if (!response.ok) return undefined
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector('.passport-page') ? page : undefined
  } catch {
    return undefined
  }
}

/** Puts a new page in the place of the old one; what was open stays open, and the focus near where it was. */
function show(page) {
  const open = [...main.querySelectorAll('details[open]')].map(({ id }) => id)
  const place = document.activeElement?.closest('#main [id]')?.id
  const height = scrollY
  main.replaceChildren(...document.adoptNode(page.getElementById('main')).childNodes)
  document.title = page.title
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  enhance()
  const target = place === undefined ? null : document.getElementById(place)
  if (target) {
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
  scrollTo({ top: height, behavior: 'instant' })
  news.textContent = `The new score is here: ${main.querySelector('#score .large').textContent}.`
}
