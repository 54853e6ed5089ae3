import type { Passport } from '../core/passport/passport.ts'
import { type Html, html } from './html.ts'
import { formatFigure, shortNameOf, toCoordinate } from './text.ts'

const RADIUS = 104

/** The colour of a passport: that of the background of its rosette. */
export const coverColor = (id: number): string => hsl(hueFrom(createRandom(id)), 42, 24)

/**
 * Draws the guilloche rosette of an id, on its own background and without a style sheet, for pages and pictures alike.
 * Below 48 pixels, it has fewer and thicker lines.
 */
export function rosette(id: number, size: 'large' | 'small' = 'large'): Html {
  const random = createRandom(id)
  const hue = hueFrom(random)
  const pick = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  const second = [hue + 40, hue + 320, 42][pick(0, 2)] as number
  const petals = pick(8, 15)
  const path = curveOf(petals, findTurns(petals, 0.16 + 0.24 * random()), pick(24, 52))
  const half = `rotate(${toCoordinate(180 / petals)})`
  const scale = [0.5, 0.58, 0.66, 0.74][pick(0, 3)] as number
  const copy = (transform: string, color = '') =>
    `<use href="#r${id}" transform="${transform}"${color === '' ? '' : ` ${color}`}/>`
  const draw = (background: number, group: string, drawn: string) => ({
    // Numbers only: no escaping needed.
    markup: `<svg class="rosette" viewBox="-${RADIUS} -${RADIUS} ${2 * RADIUS} ${2 * RADIUS}" aria-hidden="true">
<circle r="${RADIUS}" fill="${hsl(hue, 42, background)}"/>
<g fill="${hsl(hue, 60, 72)}" fill-rule="evenodd" stroke="${hsl(hue, 65, 84)}" ${group}>${drawn}</g></svg>`,
  })
  if (size === 'small') return draw(30, 'fill-opacity=".3" stroke-width="5"', `<path d="${path}"/>`)
  const curves = [
    `<path id="r${id}" d="${path}"/>`,
    copy(`${half}scale(.86)`),
    copy(`${half}scale(${scale})`, `stroke="${hsl(second, 75, 80)}"`),
    copy(`scale(${toCoordinate(scale * scale)})`),
  ]
  return draw(24, 'fill-opacity=".13" stroke-width="1.6"', curves.join(''))
}

export const renderPeople = (people: readonly Passport[], addressOf: (id: number) => string): Html =>
  html`<ul class="chips">${people.map((person) => renderPerson(person, addressOf(person.id)))}</ul>`

function renderPerson(person: Passport, address: string): Html {
  const words = html`<bdi>${shortNameOf(person)}</bdi> <span>${formatFigure(person.scores.total)}</span>`
  return html`<li><a href="${address}">${rosette(person.id, 'small')}${words}</a></li>`
}

const hueFrom = (random: () => number) => 20 * Math.floor(18 * random())

const hsl = (hue: number, saturation: number, lightness: number) =>
  `hsl(${hue % 360},${saturation}%,${lightness}%)`

/** Returns about `petals * share` turns, coprime to `petals`, so that one closed curve passes all petals. */
function findTurns(petals: number, share: number): number {
  let turns = Math.max(2, Math.round(petals * share))
  while (commonDivisor(petals, turns) > 1) turns++
  return turns
}

const commonDivisor = (one: number, other: number): number =>
  other === 0 ? one : commonDivisor(other, one % other)

/** There are about a thousand different ones. */
const curves = new Map<string, string>()

const curveOf = (petals: number, turns: number, inner: number) =>
  curves.getOrInsertComputed([petals, turns, inner].join(' '), () => drawCurve(petals, turns, 96, inner))

/** Draws a curve like a hypotrochoid: Bézier curves between points on the outer and the inner circle. */
function drawCurve(petals: number, turns: number, outer: number, inner: number): string {
  const step = (Math.PI * turns) / petals
  const handle = 1.15 * Math.tan(step / 3)
  const place = (index: number, along: number) => {
    const radius = index % 2 === 0 ? outer : inner
    const [sine, cosine] = [Math.sin(index * step), Math.cos(index * step)]
    const x = radius * (sine + along * handle * cosine)
    const y = radius * (along * handle * sine - cosine)
    return `${Math.round(x)} ${Math.round(y)}`
  }
  let path = `M${place(0, 0)}C${place(0, 1)} ${place(1, -1)} ${place(1, 0)}`
  for (let index = 2; index <= 2 * petals; index++) path += `S${place(index, -1)} ${place(index, 0)}`
  return path.replaceAll(' -', '-')
}

/** Mulberry32: numbers from 0 to 1. Neighbouring seeds give unrelated numbers. */
function createRandom(seed: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
