/**
 * Measures first visits to a running demo (`npm start`) in Chromium, with slow 4G and a CPU that is four times slower.
 *
 *   npx bun bench/page-speed.ts [--visits 5] [--url http://127.0.0.1:8080]
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../test/support/programs.ts'
import { describeMachine } from './support/machine.ts'
import { parseCount } from './support/options.ts'

const PATHS = ['/', '/passports/42', '/compare?ids=7,42,1', '/movers', '/about', '/reference/v3']

const PHONE = { viewport: { width: 360, height: 800 }, deviceScaleFactor: 2 }

/** 1.6 Mbit/s down, 750 kbit/s up. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

const { values } = parseArgs({
  options: {
    visits: { type: 'string', default: '5' },
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
  },
})
const visits = parseCount('visits', values.visits)

await using browser = await chromium.launch({
  executablePath: findProgram('chromium') as string,
  args: ['--no-sandbox', '--disable-gpu'],
})
console.log(
  `median of ${visits} visits, load ${loadavg()[0]?.toFixed(1)}, ${JSON.stringify(describeMachine())}\n`,
)
console.log('| page | largest contentful paint, ms | layout shift | transferred, KB |')
console.log('| --- | ---: | ---: | ---: |')
for (const path of PATHS) {
  const measured: Awaited<ReturnType<typeof visitFirst>>[] = []
  for (let visit = 0; visit < visits; visit++) measured.push(await visitFirst(browser, values.url + path))
  const [paint, shift, bytes] = (['paint', 'shift', 'bytes'] as const).map((name) =>
    median(measured.map((each) => each[name])),
  )
  console.log(
    `| ${path} | ${Math.round(paint ?? 0)} | ${shift?.toFixed(3)} | ${((bytes ?? 0) / 1000).toFixed(1)} |`,
  )
}

/** Each visit has a new context, so that nothing is cached. */
async function visitFirst(opened: Browser, url: string) {
  await using context = await opened.newContext(PHONE)
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  let bytes = 0
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto(url, { waitUntil: 'networkidle' })
  return { bytes, ...(await page.evaluate(readPaintAndShift)) }
}

/** Runs in the page. */
function readPaintAndShift(): Promise<{ paint: number; shift: number }> {
  return new Promise((resolve) => {
    let shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
    new PerformanceObserver((list) => {
      const paint = list.getEntries().at(-1)?.startTime ?? Number.NaN
      setTimeout(() => resolve({ paint, shift }), 100)
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
