import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawableName } from '../../../src/features/pictures/drawable-text.ts'
import { readFontFolder } from '../../../src/features/pictures/fonts-folder.ts'
import { placeNames } from '../../../src/features/pictures/place-names.ts'
import { loadRasterizer } from '../../../src/features/pictures/rasterizer.ts'
import {
  createRasterizerClient,
  createRasterizerServer,
} from '../../../src/features/pictures/rasterizer-calls.ts'
import { drawName, drawSvg } from '../../../src/features/pictures/svg.ts'
import { FONT_FAMILY } from '../../../src/ui/fonts.ts'
import { type Rasterize, servePeople } from '../../support/explorer/explorer-server.ts'
import { makeFont } from '../../support/explorer/make-font.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { ADA_WALLET, named, record, social } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { drawPng } from './draw-png.ts'

const NAMES: [given: string, drawn: string][] = [
  ['Ada Lovélace', 'Ada Lovélace'],
  ['Žofie Dvořáková', 'Žofie Dvořáková'],
  ['Zoe\u0308', 'Zoë'],
  ['Анна Ахматова', 'Анна Ахматова'],
  ['Ελευθερία', 'Ελευθερία'],
  ['Nguyễn Thị Ước', 'Nguyễn Thị Ước'],
  ['🐉 Ada 👩\u200d👩\u200d👧 🇩🇰', 'Ada'],
  ['Ada™ & Co. ©', 'Ada™ & Co. ©'],
  ['🐉🐉', 'Passport 7'],
  ['محمد', 'Passport 7'],
  ['山田太郎', 'Passport 7'],
  ['Ada 山田', 'Ada'],
  ['山田 – 太郎', 'Passport 7'],
  ['', 'Passport 7'],
]

test.each(NAMES)('the name %p is drawn as %p', (given, drawn) => {
  expect(drawableName(named(7, given, 1))).toBe(drawn)
})

test('a name in another script is drawn with the fonts of the operator, or else as a handle or wallet', () => {
  const person = record(7, {
    profile: { displayName: '🐉 山田太郎' },
    mainWallet: ADA_WALLET,
    socials: ['山田', 'yamada', 'taro'].map((name) => social('lens', name)),
  })
  expect(drawableName(person)).toBe('@yamada')
  expect(drawableName(person, /^[山田太郎]$/u)).toBe('山田太郎')
  expect(drawableName(person, /^[山田太郎🐉]$/u)).toBe('🐉 山田太郎')
  expect(drawableName({ ...person, socials: [social('ens', 'taro.eth')] })).toBe('taro.eth')
  expect(drawableName({ ...person, socials: [] })).toBe('0xada0…0001')
})

test('120 concurrent requests for 60 cards all get their card, and each card is drawn once', async () => {
  const people = Array.from({ length: 60 }, (_, at) => named(at + 1, `Person ${at + 1}`, at + 1))
  const drawn: string[] = []
  const { port1, port2 } = new MessageChannel()
  const draw = (svg: string) => {
    drawn.push(svg)
    return new TextEncoder().encode(svg)
  }
  createRasterizerServer(async () => draw).connect(port1)
  const { connect, rasterize } = createRasterizerClient()
  connect(port2)
  await using server = await servePeople(people, { rasterize })
  const replies = await Promise.all(
    [...people, ...people].map(async ({ id }) => {
      const { status, headers, text } = await server.look(`/card/${id}.png`)
      return [status, headers.get('Cache-Control')?.split(',')[0], text.includes(`>Person ${id}<`)]
    }),
  )
  expect(replies).toEqual(replies.map(() => [200, 'public', true]))
  // One more, because the card of the site is drawn before the first card.
  expect([drawn.length, new Set(drawn).size]).toEqual([61, 61])
})

test('/favicon.ico is a PNG of 32 pixels', async () => {
  await using server = await servePeople([named(1, 'Ada', 1)], { rasterize: drawPng })
  const response = await fetch(`${server.url.origin}/favicon.ico`)
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/png'])
  expect((await new Bun.Image(await response.bytes()).metadata()).width).toBe(32)
})

test('PNG cards are 1200 × 630 pixels, as link previews need', async () => {
  const people = [named(1, 'Анна', 1)]
  await using server = await servePeople(people, { rasterize: drawPng })
  for (const path of ['/card/site.png', ...people.map(({ id }) => `/card/${id}.png`)]) {
    const response = await fetch(server.url.origin + path)
    expect([path, response.status, response.headers.get('Content-Type')]).toEqual([path, 200, 'image/png'])
    const { width, height, format } = await new Bun.Image(await response.bytes()).metadata()
    expect({ path, width, height, format }).toEqual({ path, width: 1200, height: 630, format: 'png' })
  }
  expect(server.errors).toEqual([])
})

const shapeOf = async (letter: string, draw: Rasterize = drawPng) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text y="30" font-size="30">${letter}</text></svg>`
  return Bun.hash(await draw(svg, 40))
}

test('a font of the operator draws its characters', async () => {
  using folder = tempFolder()
  const draw = await drawWith(folder.path, makeFont('山田'))
  const square = await shapeOf('山', draw)
  expect(square).not.toBe(await shapeOf('山'))
  expect(await shapeOf('田', draw)).toBe(square)
  expect(await shapeOf('A', draw)).toBe(await shapeOf('A'))
})

const drawWith = async (folder: string, font: Uint8Array): Promise<Rasterize> => {
  writeFileSync(join(folder, 'NotoSansCJK.ttf'), font)
  const rasterizer = await loadRasterizer(readFontFolder(folder))
  return async (svg, width) => rasterizer(svg, width)
}

test.each(['Ōno Ħal'])('%s has no box, although it needs two files of the font', async (name) => {
  const svg = (text: string) =>
    drawSvg(
      { width: 400, height: 80, font: FONT_FAMILY, title: '' },
      drawName(text, { x: 0, y: 60, width: 400, size: 40, smallest: 40, fill: '#000' }),
    ).markup
  const missing = [...name].map((letter) => svg(name.replace(letter, '山')))
  const boxes = await Promise.all(missing.map(async (each) => Bun.hash(await drawPng(each, 400))))
  expect(boxes).not.toContain(Bun.hash(await drawPng(svg(name), 400)))
})

test('the font has the letters of Latin, Cyrillic and Greek', async () => {
  const letters = [...'AzÆéøßŁčőŞțΆΩλώЖяЁїґễỚư–„…']
  const shapes = await Promise.all(letters.map((letter) => shapeOf(letter)))
  expect(shapes).not.toContain(await shapeOf('山'))
})

test('a PNG card counts as 20 requests toward the rate limit, and as one if it is cached', async () => {
  let drawn = 0
  await using server = await servePeople([named(1, 'Ada', 1)], {
    rasterize: async () => {
      drawn++
      return new Uint8Array(4)
    },
  })
  const remaining = async (path: string) =>
    Number(/r=(\d+)/.exec((await server.look(path)).headers.get('RateLimit') ?? '')?.[1])
  const start = await remaining('/badge/1.svg')
  expect(start - (await remaining('/card/1.png'))).toBe(20)
  expect(start - (await remaining('/card/1.png'))).toBe(21)
  // Two, because the card of the site is drawn before the first card.
  expect(drawn).toBe(2)
})

test.each([
  ['overloaded', new ServiceError('overloaded', 'busy'), 503],
  ['unavailable', new ServiceError('unavailable', 'gone'), 503],
  ['failed', new Error('secret'), 500],
])(
  'the error is a picture if neither the card nor the card of the site can be drawn (%s)',
  async (_state, error, status) => {
    await using server = await servePeople([named(1, 'Ada', 1)], { rasterize: () => Promise.reject(error) })
    const { headers, text, ...reply } = await server.look('/card/1.png')
    expect([reply.status, headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
      status,
      'image/svg+xml; charset=utf-8',
      'no-store',
    ])
    expect(text).not.toContain('secret')
    expect(headers.get('Retry-After')).toBe(status === 503 ? '2' : null)
    expect((await server.look('/card/1.svg')).status).toBe(200)
  },
)

test.each(['overloaded', 'unavailable'] as const)(
  'while drawing is %s, the response is the general card of the site, with no-store',
  async (code) => {
    let isBusy = true
    await using server = await servePeople([named(1, 'Ada', 1)], {
      rasterize: async (svg) => {
        if (isBusy && !svg.includes('Public records of work'))
          throw new ServiceError(code, 'Too many pictures.')
        return new TextEncoder().encode(svg)
      },
    })
    for (const path of ['/card/1.png']) {
      const { status, headers, text } = await server.look(path)
      expect([path, status, text]).toEqual([path, 200, expect.stringContaining('Public records of work')])
      expect(headers.get('Content-Type')).toBe('image/png')
      expect([headers.get('Cache-Control'), headers.get('ETag')]).toEqual(['no-store', null])
    }
    expect([server.leftOut.length, server.errors.length]).toEqual([1, 0])
    isBusy = false
    expect((await server.look('/card/1.png')).text).toContain('Ada')
  },
)

/** Each character is one font size wide. */
const measure = (text: string) => [...text].length

function place(name: string): string {
  const { markup } = drawName(name, { x: 9, y: 60, width: 9000, size: 10, smallest: 10, fill: '#000' })
  return placeNames(markup, measure).replace(/[\s\S]*plaintext">|<\/text>[\s\S]*/g, '')
}

test.each([
  ['Ada Lovélace', 'Ada Lovélace'],
  ['Анна Ахматова', 'Анна Ахматова'],
  ['زورق القمر', 'زورق القمر'],
  ['山田 太郎', '山田 太郎'],
  ['Łódź', '<tspan x="0">Ł</tspan><tspan x="10">ód</tspan><tspan x="30">ź</tspan>'],
  ['Tom & محمد', '<tspan x="0">Tom &amp; </tspan><tspan x="100">محمد</tspan>'],
  ['لا 山田', '<tspan x="0">لا </tspan><tspan x="22.5">山田</tspan>'],
  // The space after a complex syllable is a fourth of the font size.
  ['काग नाव', '<tspan x="0">का</tspan><tspan x="20">ग ना</tspan><tspan x="60">व</tspan>'],
  [
    'बाग़ी नाव',
    '<tspan x="0">बा</tspan><tspan x="20">ग़ी </tspan><tspan x="52.5">ना</tspan><tspan x="72.5">व</tspan>',
  ],
])('the parts of %s that need different files of fonts have their own places', (name, placed) => {
  expect(place(name.normalize('NFC'))).toBe(placed)
})
