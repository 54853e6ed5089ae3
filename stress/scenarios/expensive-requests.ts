import { connect } from 'node:net'
import { serveProcess } from '../../test/support/cli.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Scenario } from '../run-scenario.ts'
import { anyId, anyLongKeyword, expectedPage, nameOf, savePeople } from '../support/expensive-dataset.ts'
import { statusOf } from '../support/process-status.ts'

const EXPENSIVE_CLIENTS = 16
const ORDINARY_CLIENTS = 4

/** The server must not use more memory than this. It uses 460 to 520 MB, with mapped files, for 2,500 to 10,000 requests. */
const MOST_MEGABYTES = 640

const TIERS = 'anonymous=unlimited, explorer=unlimited'

/** Returns a description of the problem, or undefined. */
type Check = (url: string) => Promise<string | undefined>

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T

const listOf =
  (page: number, size: number, keyword?: string): Check =>
  async (url) => {
    const query = new URLSearchParams({ page: `${page}`, per_page: `${size}`, ...(keyword && { keyword }) })
    const { status, text } = await get(`${url}/api/v1/passports?${query}`)
    if (status !== 200) return `${query}: ${status}`
    const { passports, pagination } = JSON.parse(text)
    const { ids, total } = expectedPage(page, size, keyword)
    const isRight =
      pagination.total === total &&
      passports.length === ids.length &&
      ids.every((id, at) => passports[at].passport_id === id)
    return isRight
      ? undefined
      : `${query}: ${passports.length} of ${pagination.total}, expected ${ids.length} of ${total}`
  }

const passport =
  (id: number): Check =>
  async (url) => {
    const { status, text } = await get(`${url}/api/v1/passports/${id}`)
    const isRight = status === 200 && JSON.parse(text).passport.passport_profile.display_name === nameOf(id)
    return isRight ? undefined : `passport ${id}: ${status}`
  }

const page =
  (path: string): Check =>
  async (url) => {
    const { status, text } = await get(url + path)
    // A page after the last one responds with 404.
    const isExpected = status === 200 || (status === 404 && path.startsWith('/?page='))
    return isExpected && text.length > 0 ? undefined : `${path}: ${status}`
  }

/** Eight concurrent requests for the same new keyword. */
const concurrent: Check = async (url) => {
  const keyword = anyLongKeyword()
  const wrong = await Promise.all(
    Array.from({ length: 8 }, (_, at) => listOf(1 + (at % 2), 25, keyword)(url)),
  )
  return wrong.find((each) => each !== undefined)
}

/** Disconnects before the response arrives. */
const abort: Check = (url) => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const { hostname, port } = new URL(url)
  const target = pick([
    `?keyword=${encodeURIComponent(anyLongKeyword())}`,
    '?per_page=250',
    '?page=2&keyword=a',
  ])
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined).on('close', () => resolve(undefined))
  socket.write(`GET /api/v1/passports${target} HTTP/1.1\r\nHost: x\r\n\r\n`, () => {
    if (Math.random() < 0.5) socket.resetAndDestroy()
    else setImmediate(() => socket.destroy())
  })
  return promise
}

const EXPENSIVE: readonly (() => Check)[] = [
  () => listOf(1, 250, anyLongKeyword()),
  () => listOf(1 + Math.floor(Math.random() * 9), 25, anyLongKeyword()),
  () => listOf(Math.ceil(Math.random() * 1e9), 250, pick([undefined, 'a', anyLongKeyword()])),
  () => listOf(pick([1, 2, 3]), 250),
  () => concurrent,
  () => abort,
  () => abort,
  () => page(`/?q=${encodeURIComponent(anyLongKeyword())}`),
  () => page(`/?page=${Math.ceil(Math.random() * 1e6)}`),
  () => page(`/passports/${anyId()}?${Math.random()}`),
  () => page(`/${pick(['badge', 'card'])}/${anyId()}.svg?${Math.random()}`),
]

const ORDINARY: readonly (() => Check)[] = [
  () => passport(anyId()),
  () => listOf(1 + Math.floor(Math.random() * 20), 10),
  () => listOf(1, 25, `person ${1 + Math.floor(Math.random() * 600)}`),
]

export const expensive: Scenario = {
  name: 'expensive',
  title: 'valid, expensive requests together with ordinary ones',
  long: 5000,
  short: 44,
  async run(times, fail) {
    using folder = tempFolder()
    const path = await savePeople(folder.path)
    await using server = await serveProcess([], {
      cwd: folder.path,
      env: { DATABASE_URL: `sqlite:${path}`, TIERS },
    })
    let [begun, done, ordinary] = [0, 0, 0]

    async function attempt(check: Check): Promise<void> {
      const wrong = await check(server.url).catch((error) => String(error))
      if (wrong !== undefined) fail(wrong)
    }
    async function sendExpensive(): Promise<void> {
      while (begun < times) {
        const kind = EXPENSIVE[begun++ % EXPENSIVE.length] as () => Check
        await attempt(kind())
        done++
      }
    }
    async function sendOrdinary(): Promise<void> {
      while (done < times) {
        await attempt(pick(ORDINARY)())
        ordinary++
      }
    }
    const sending = Array.from({ length: EXPENSIVE_CLIENTS }, sendExpensive)
    await Promise.all([...sending, ...Array.from({ length: ORDINARY_CLIENTS }, sendOrdinary)])

    const { mostMemory } = statusOf(server.child.pid)
    if (mostMemory > MOST_MEGABYTES)
      fail(`the server used ${mostMemory} MB of memory; the limit is ${MOST_MEGABYTES} MB`)
    return { count: done, note: `${ordinary} ordinary requests, at most ${mostMemory} MB` }
  },
}

async function get(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}
