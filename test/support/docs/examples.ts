import { readPage } from './pages.ts'

/** A fenced block of a page. A second word after its language is the file to save it as. */
export type Example = {
  /** Page, heading, language and, if there are several, a number. */
  name: string
  page: string
  heading: string
  line: number
  language: string
  file: string | undefined
  text: string
}

const FENCE = /^ *```(\S*) ?(.*)$/

export function readExamples(page: string): Example[] {
  const examples: Example[] = []
  let heading = ''
  let open: Example | undefined
  for (const [index, line] of readPage(page).split('\n').entries()) {
    const fence = FENCE.exec(line)
    if (open && fence) {
      examples.push(open)
      open = undefined
    } else if (open) open.text += `${line}\n`
    else if (fence) {
      const [, language = '', file] = fence
      const kind = `${page}: ${heading}: ${language}`
      const earlier = examples.filter(({ name }) => name.startsWith(kind)).length
      const name = earlier === 0 ? kind : `${kind} ${earlier + 1}`
      open = { name, page, heading, line: index + 1, language, file: file || undefined, text: '' }
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return examples
}
