// Adds buttons to the share panel when it opens, and buttons that copy text.

/** An element that every page of the script has. */
export const find = <E extends Element = HTMLElement>(selector: string, parent: ParentNode = document) =>
  parent.querySelector(selector) as E

export const main = find('#main')
export const news = document.createElement('p')
news.className = 'unseen'
news.setAttribute('role', 'status')
news.setAttribute('aria-live', 'polite')
document.body.append(news)

export function addCopyButtons() {
  for (const line of main.querySelectorAll<HTMLElement>('.copyable:not(:has(button))'))
    line.append(copyButton(line))
}

function copyButton(line: HTMLElement) {
  const button = makeButton(line.matches('p') ? `Copy ${line.dataset.copy}` : 'Copy')
  button.setAttribute('aria-label', `Copy ${line.dataset.copy}`)
  button.addEventListener('click', async () => {
    const code = find('code', line)
    // biome-ignore lint/performance/useDomNodeTextContent: the hidden values are those of other badges.
    await copy(button, line.dataset.text ?? code.innerText, code)
  })
  return button
}

export async function copy(button: HTMLElement, text: string, code: HTMLElement) {
  const label = button.textContent
  const isDone = await write(text, code)
  button.textContent = isDone ? 'Copied' : 'Selected'
  news.textContent = isDone ? 'Copied.' : 'Selected: press Control or Command and C to copy.'
  setTimeout(() => {
    button.textContent = label
  }, 2000)
}

/** Pages over plain HTTP have no clipboard API: the whole text is shown and selected instead. */
async function write(text: string, code: HTMLElement) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    if (code.textContent !== text && !code.querySelector('.pick')) code.textContent = text
    getSelection()?.selectAllChildren(code)
    return document.execCommand('copy')
  }
}

/** Browsers offer sharing over HTTPS only. */
function addButtons() {
  addCopyButtons()
  const place = main.querySelector<HTMLElement>('[data-link]')
  if (!navigator.share || !place || place.querySelector('button')) return
  const { link, title } = place.dataset
  const button = makeButton('Share…')
  // The promise rejects if the person closes the dialog.
  button.addEventListener('click', () =>
    navigator.share({ text: title as string, url: link as string }).catch(() => {}),
  )
  place.prepend(button)
}

export function makeButton(text: string) {
  const button = document.createElement('button')
  button.className = 'quiet'
  button.type = 'button'
  button.textContent = text
  return button
}

addButtons()
// Search as you type replaces the panel.
document.addEventListener(
  'beforetoggle',
  ({ target }) => (target as Element).id === 'share' && addButtons(),
  true,
)
