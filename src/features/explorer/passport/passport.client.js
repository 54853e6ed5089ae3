// Adds copying to the passport page, and polls while the score is being recalculated.
// share.client.js precedes it in the same script.

const FIRST_WAIT = 2000
const MAX_WAIT = 10_000
const POLL_TIMEOUT = 5 * 60_000

enhance()
void pollScore()

function enhance() {
  addCopyButtons()
  const follows = main.querySelector('[data-follows]')
  if (follows) follows.hidden = false
}

async function pollScore() {
  const end = Date.now() + POLL_TIMEOUT
  for (
    let wait = FIRST_WAIT;
    document.getElementById('recalculating');
    wait = Math.min(wait * 1.3, MAX_WAIT)
  ) {
    if (Date.now() > end) {
      main.querySelector('[data-follows]').textContent =
        'This takes longer than usual. Reload the page to check again.'
      return
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
    const page = document.hidden ? undefined : await read(location.href)
    if (page && !page.getElementById('recalculating')) show(page)
  }
}

/** Fetches a page; undefined if the request fails. */
async function read(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(MAX_WAIT) })
    if (!response.ok) return undefined
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector('.passport-page') ? page : undefined
  } catch {
    return undefined
  }
}

/** Replaces the content; keeps open details, the focus and the scroll position. */
function show(page) {
  const open = [...main.querySelectorAll('details[open]')].map(({ id }) => id)
  const place = document.activeElement?.closest('#main [id]')?.id
  // Browsers without popovers always show the panel.
  const isSharing = 'popover' in main && main.querySelector('#share').matches(':popover-open')
  const height = scrollY
  main.replaceChildren(...document.adoptNode(page.getElementById('main')).childNodes)
  document.title = page.title
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  enhance()
  if (isSharing) main.querySelector('#share').showPopover()
  const target = place === undefined ? null : document.getElementById(place)
  if (target) {
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
  scrollTo({ top: height, behavior: 'instant' })
  news.textContent = `New score: ${main.querySelector('#score .large').textContent}.`
}
