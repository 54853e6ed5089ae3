import type { TestBrowser } from './browser.ts'

/** Finds SVGs that do not load, have overflowing text, or contain more than shapes and text. */
export async function findSvgErrors(browser: TestBrowser, urls: readonly string[]): Promise<string[]> {
  const page = await browser.newPage()
  // A page of the same origin without a content security policy.
  await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(new URL('/blank', urls[0]).href)
  return page.evaluate(async (urls) => {
    const errors: string[] = []
    for (const url of urls) {
      const image = new Image()
      image.src = url
      await image.decode().catch(() => errors.push(`${url} does not load`))
      const text = await (await fetch(url)).text()
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
      if (parsed.querySelector('parsererror')) errors.push(`${url} is not well-formed`)
      const svg = document.body.appendChild(document.adoptNode(parsed.documentElement))
      const frame = svg.getBoundingClientRect()
      if (image.naturalHeight !== frame.height) errors.push(`${url} has a wrong height`)
      for (const words of svg.querySelectorAll('text')) {
        // An inner svg element clips the name, so its text may be longer.
        if (words.parentElement !== svg && words.parentElement?.localName === 'svg') continue
        const box = words.getBoundingClientRect()
        if (box.left < frame.left || box.right > frame.right + 0.5)
          errors.push(`${url}: ${words.textContent} overflows`)
      }
      for (const part of svg.querySelectorAll('*')) {
        if (!['title', 'svg', 'g', 'rect', 'path', 'circle', 'text', 'use'].includes(part.localName))
          errors.push(`${url} has a ${part.localName}`)
        for (const { name, value } of part.attributes) {
          // A rosette repeats one curve with `use` elements.
          if (part.localName === 'use' && /^#r\d+$/.test(value)) continue
          if (/^on|style|href/.test(name)) errors.push(`${url} has ${name}`)
        }
      }
      svg.remove()
    }
    return errors
  }, urls)
}
