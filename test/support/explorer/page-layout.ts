import type { Page } from 'playwright-core'

/** Returns a line with the box and the text of each element of a page, with each `<details>` open. */
export async function readLayout(page: Page, url: string, width: number): Promise<string> {
  await page.setViewportSize({ width, height: 900 })
  await page.goto(url)
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const textOf = (element: Element) =>
      [...element.childNodes]
        .map((node) => (node.nodeType === Node.TEXT_NODE ? node.textContent : '|'))
        .join('')
    return [...document.body.querySelectorAll('*')]
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        const box = [x, y + scrollY, width, height].map((size) => size.toFixed(1)).join(' ')
        return `${element.localName} ${box} ${textOf(element)
          .replace(/\s+/g, ' ')
          .replace(/ ?\| ?/g, '|')
          .trim()}`
      })
      .join('\n')
  })
}
