import type { Level } from '../core/passport/rules/rule-set.ts'
import { type Html, html } from './html.ts'
import { toCoordinate } from './text.ts'

/** Bars like those of a signal strength: the first `reached` of them are filled. */
export function drawLevel(reached: number, all: number): Html {
  const bar = (_: unknown, at: number) => `M${4 * at + 1.5} 12v-${toCoordinate(4 + (8 * at) / all)}`
  const bars = Array.from({ length: all }, bar)
  const draw = (from: number, to?: number) => html`<path d="${bars.slice(from, to).join('')}"/>`
  const drawing = html`${draw(0, reached)}${draw(reached)}`
  return html`<svg class="level-mark" viewBox="0 0 ${4 * all - 1} 12" aria-hidden="true">${drawing}</svg>`
}

export function renderLevel(total: number, levels: readonly Level[] = []): Html {
  const at = levels.findLastIndex(({ from }) => total >= from)
  return at === -1 ? html`` : html`${drawLevel(at + 1, levels.length)} <span>${levels[at]?.name ?? ''}</span>`
}
