import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFontFolder } from '../../../../src/features/pictures/fonts-folder.ts'
import { loadRasterizer } from '../../../../src/features/pictures/rasterizer.ts'
import { drawPng } from '../../../features/pictures/draw-png.ts'
import { makeFont } from '../../../support/explorer/make-font.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { until } from '../../../support/wait-until.ts'
import { startTestService } from '../../support/service.ts'

const ARABIC = inventPeople().find(({ profile }) => /^[\p{Script=Arabic} ]+$/u.test(profile.displayName))
const FONT = makeFont([...new Set(ARABIC?.profile.displayName.replaceAll(' ', ''))].join(''))

const isCached = ({ headers }: Response) => headers.get('Cache-Control')?.startsWith('public') === true

describe.skipIf(process.platform !== 'linux')('the picture thread of the service', () => {
  test('it draws a name with the fonts of SITE_FONTS', async () => {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'NotoSansArabic.ttf'), FONT)
    await using service = await startTestService({ env: { SITE_FONTS: folder.path } })
    const id = ARABIC?.id
    // Until the index for filters is ready, cards are incomplete and not cached.
    await until(async () => isCached(await service.get(`/card/${id}.svg`)))
    const svg = await (await service.get(`/card/${id}.svg`)).text()
    const png = await (await service.get(`/card/${id}.png`)).bytes()
    expect(svg).toContain(ARABIC?.profile.displayName ?? '')
    expect(png).toEqual((await loadRasterizer(readFontFolder(folder.path)))(svg, 1200))
    expect(png).not.toEqual(await drawPng(svg, 1200))
  })

  test('the API stays responsive while many cards are drawn, and a picture thread that dies is restarted', async () => {
    await using service = await startTestService({ workers: 2, env: { TIERS: 'anonymous=unlimited' } })
    const statuses = async (path: string) => [
      ...new Set(await Promise.all(Array.from({ length: 40 }, async () => (await service.get(path)).status))),
    ]
    const card = async (id: number) => {
      const { status, headers } = await service.get(`/card/${id}.png`)
      return `${status} ${headers.get('Content-Type')}`
    }
    const cards = Array.from({ length: 20 }, (_, at) => card(at + 3))
    expect(await statuses('/api/v3/passports/42')).toEqual([200])
    expect(await statuses('/')).toEqual([200])
    const { length } = service.threads
    service.threads[1]?.terminate()
    await until(() => service.threads.length > length)
    // Cards that were not drawn yet get an error picture.
    for (const answer of await Promise.all(cards))
      expect(['200 image/png', '503 image/svg+xml; charset=utf-8']).toContain(answer)
    await until(async () => isCached(await service.get('/card/2.png')))
    expect(service.messages()).toContain('The picture-thread ended; restarting it now.')
  })
})
