import { readFileSync } from 'node:fs'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasm from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import { FONT_FAMILY, FONTS } from '../design/fonts.ts'

/** Draws an SVG as a PNG of this width. A card takes 60 ms of CPU time. */
export type DrawPng = (svg: string, width: number) => Uint8Array<ArrayBuffer>

const FONT = {
  fontBuffers: FONTS,
  defaultFontFamily: FONT_FAMILY,
  serifFamily: FONT_FAMILY,
  sansSerifFamily: FONT_FAMILY,
}

/** The module can be initialized only once. */
let initialized: Promise<void> | undefined

/** `files` are further fonts. Each drawing copies them: 2 ms for 19 MB. */
export async function loadRasterizer(files: readonly Uint8Array[] = []): Promise<DrawPng> {
  initialized ??= initWasm(readFileSync(wasm))
  await initialized
  const font = { ...FONT, fontBuffers: [...FONT.fontBuffers, ...files] }
  return (svg, width) => {
    const drawing = new Resvg(svg, { fitTo: { mode: 'width', value: width }, font })
    const image = drawing.render()
    const png = new Uint8Array(image.asPng())
    image.free()
    drawing.free()
    return png
  }
}
