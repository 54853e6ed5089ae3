import type { TestBrowser } from './browser.ts'

/** What a browser finds wrong with pictures: no picture at all, words outside its frame, or more in it than shapes and words. */
export async function findPictureFaults(browser: TestBrowser, urls: readonly string[]): Promise<string[]> {
  const page = await browser.newPage()
  const faults = await page.evaluate(async (urls) => {
    const faults: string[] = []
    for (const url of urls) {
      const image = new Image()
      image.src = url
      await image.decode().catch(() => faults.push(`${url} is no picture`))
      const text = await (await fetch(url)).text()
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
      if (parsed.querySelector('parsererror')) faults.push(`${url} is not well-formed`)
      const svg = document.body.appendChild(document.adoptNode(parsed.documentElement))
      const frame = svg.getBoundingClientRect()
      if (image.naturalHeight !== frame.height) faults.push(`${url} has another height`)
      for (const words of svg.querySelectorAll('text')) {
        // A name is clipped by a frame of its own.
        if (words.parentElement !== svg && words.parentElement?.localName === 'svg') continue
        const box = words.getBoundingClientRect()
        if (box.left < frame.left || box.right > frame.right + 0.5)
          faults.push(`${url}: ${words.textContent} sticks out`)
      }
      for (const part of svg.querySelectorAll('*')) {
        if (!['title', 'svg', 'g', 'rect', 'path', 'circle', 'text'].includes(part.localName))
          faults.push(`${url} has a ${part.localName}`)
        for (const { name } of part.attributes)
          if (/^on|style|href|class/.test(name)) faults.push(`${url} has ${name}`)
      }
      svg.remove()
    }
    return faults
  }, urls)
  await page.close()
  return faults
}
