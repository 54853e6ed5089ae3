// Adds copying to the passport page, and polls while the score is being recalculated.
// share.client.ts precedes it in the same script.
import { addCopyButtons, find, main, news } from '../../../ui/assets/share.client.ts'

const FIRST_WAIT = 2000
const MAX_WAIT = 10_000
const POLL_TIMEOUT = 5 * 60_000

enhance()
void pollScore()

function enhance() {
  addCopyButtons()
  const follows = main.querySelector<HTMLElement>('[data-follows]')
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
      find('[data-follows]').textContent = 'This takes longer than usual. Reload the page to check again.'
      return
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
    const page = document.hidden ? undefined : await readPassport(location.href)
    if (page && !page.getElementById('recalculating')) showPassport(page)
  }
}

/** Fetches a page; undefined if the request fails. */
async function readPassport(address: string) {
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
function showPassport(page: Document) {
  const open = [...main.querySelectorAll('details[open]')].map(({ id }) => id)
  const place = document.activeElement?.closest('#main [id]')?.id
  // Browsers without popovers always show the panel.
  const isSharing = 'popover' in main && find('#share').matches(':popover-open')
  const height = scrollY
  main.replaceChildren(...document.adoptNode(find('#main', page)).childNodes)
  document.title = page.title
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  enhance()
  if (isSharing) find('#share').showPopover()
  const target = place === undefined ? null : document.getElementById(place)
  if (target) {
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
  scrollTo({ top: height, behavior: 'instant' })
  news.textContent = `New score: ${find('#score .large').textContent}.`
}
