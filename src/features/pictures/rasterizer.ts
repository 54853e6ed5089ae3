import { readFileSync } from 'node:fs'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasm from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import { FONT_FAMILY, FONTS } from '../../ui/fonts.ts'
import { NOT_BUILT_IN } from './drawable-text.ts'
import type { Font } from './fonts-folder.ts'
import { placeNames } from './place-names.ts'

/** Draws an SVG as a PNG of this width. A card takes 60 ms of CPU time. */
export type DrawPng = (svg: string, width: number) => Uint8Array<ArrayBuffer>

/** The module can be initialized only once. */
let initialized: Promise<void> | undefined

/** `fonts` are further fonts. Each drawing reads those that it needs: 50 ms for 19 MB. */
export async function loadRasterizer(fonts: readonly Font[] = []): Promise<DrawPng> {
  initialized ??= initWasm(readFileSync(wasm))
  await initialized
  const parse = (svg: string, width: number) => {
    const others = svg.match(new RegExp(NOT_BUILT_IN, 'gu')) ?? []
    const needed = fonts.filter(({ characters }) => others.some((other) => characters.test(other)))
    const fontBuffers = [...FONTS, ...needed.map(({ path }) => readFileSync(path))]
    return new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: { ...FAMILIES, fontBuffers } })
  }
  const measure = (text: string) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text font-size="100">${text}</text></svg>`
    const drawing = parse(svg, 1)
    const { x = 0, width = 0 } = drawing.getBBox() ?? {}
    drawing.free()
    return (x + width) / 100
  }
  return (svg, width) => {
    const drawing = parse(placeNames(svg, measure), width)
    const image = drawing.render()
    const png = new Uint8Array(image.asPng())
    image.free()
    drawing.free()
    return png
  }
}

const FAMILIES = { defaultFontFamily: FONT_FAMILY, serifFamily: FONT_FAMILY, sansSerifFamily: FONT_FAMILY }
