import type { Page } from 'playwright-core'

/** States of an element, and parts of it that are no elements. */
const STATE =
  /::[\w-]+|:(?:hover|focus|focus-visible|focus-within|checked|empty|target|disabled|popover-open)(?![\w-])|\[(?:hidden|open|aria-invalid|data-ok)[^\]]*\]/g
const NEGATION = /:not\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g

/**
 * Lists the selectors in the style sheets of a page, and in `more` rules, without states. A selector with `:is()` becomes one
 * for each of its alternatives.
 */
export async function listSelectors(page: Page, more: string): Promise<string[]> {
  const selectors = await page.evaluate((more) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(more)
    const flatten = (rules: CSSRuleList, parent: string): string[] =>
      [...rules].flatMap((rule) => {
        const { selectorText, cssRules } = rule as Partial<CSSStyleRule>
        const selector = selectorText?.replaceAll('&', `:is(${parent})`)
        return [selector ?? [], cssRules ? flatten(cssRules, selector ?? parent) : []].flat()
      })
    return [...document.styleSheets, sheet].flatMap(({ cssRules }) => flatten(cssRules, ''))
  }, more)
  return selectors.flatMap((selector) => splitList(withoutStates(selector)).flatMap(listAlternatives))
}

/** Returns the selectors that match an element of the page or of these documents. */
export const findMatches = (page: Page, selectors: Iterable<string>, documents: readonly string[] = []) =>
  page.evaluate(
    ([selectors, documents]) => {
      const parser = new DOMParser()
      const pages = [document, ...documents.map((markup) => parser.parseFromString(markup, 'text/html'))]
      return selectors.filter((selector) => pages.some((page) => page.querySelector(selector)))
    },
    [[...selectors], documents] as const,
  )

const withoutStates = (selector: string) =>
  selector
    .replace(NEGATION, (negation) => (negation.search(STATE) >= 0 ? '' : negation))
    .replace(STATE, ':is(*)')

function listAlternatives(selector: string): string[] {
  const alternatives = [...selector.matchAll(/:(?:is|where)\(/g)].flatMap(({ index, 0: name }) => {
    const before = selector.slice(0, index + name.length)
    const list = splitList(selector.slice(before.length))
    const after = selector.slice(before.length + list.join().length)
    return list.length === 1 ? [] : list.map((alternative) => (before + alternative.trim() + after).trim())
  })
  return alternatives.length === 0 ? [selector.trim()] : alternatives
}

/** Splits at the commas, until the end or a closing parenthesis. */
function splitList(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) break
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(parts.pop() + character)
  }
  return parts
}
