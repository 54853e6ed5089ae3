// Loaded before the stylesheet, so that the chosen theme applies to the first paint.

const KEY = 'theme'

/** Browsers can block the storage: then a choice applies to one page only. */
function read() {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

function save(theme: string) {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // The storage is blocked.
  }
}

const paint = (theme: string) => document.documentElement.style.setProperty('--theme', theme || 'light dark')

const findMenu = () => document.getElementById('theme') as HTMLSelectElement | null

function show() {
  paint(read())
  const menu = findMenu()
  if (menu) menu.value = read()
}

show()
addEventListener('DOMContentLoaded', () => {
  show()
  findMenu()?.addEventListener('change', () => {
    const theme = findMenu()?.value ?? ''
    save(theme)
    paint(theme)
  })
})
// Another page changed the theme, or the browser shows an earlier state of this page.
for (const event of ['storage', 'pageshow']) addEventListener(event, show)
