import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inBrowser, serveBlankPage } from '../../../support/explorer/browser.ts'
import { serveExplorer } from '../../../support/explorer/explorer-server.ts'
import { shareServer } from '../../../support/http/server.ts'
import { hasPrograms } from '../../../support/programs.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { INVENTED } from '../../../support/store/json-lines.ts'
import requests from './requests-of-old-programs.json' with { type: 'json' }

/** `headers` are lines, and `sameAs` is a path with the same response. */
type Row = { request: string; headers?: string[]; status: number; sameAs?: string }

const ROWS: readonly Row[] = requests

type Sent = { base: string; requests: { method: string; path: string; headers: Record<string, string> }[] }
type Reply = { status: number; body: string }

/** The Accept-Encoding of a browser. Each client must decode the compressed responses. */
const ENCODINGS = { 'Accept-Encoding': 'gzip, deflate, br, zstd' }

describe('the requests of old programs', () => {
  const server = shareServer(() => openTestStore('sqlite', INVENTED), serveExplorer)

  /** Sends all requests. Each is followed by a second request that must get the same response. */
  async function check(send: (sent: Sent) => Promise<Reply[]>): Promise<void> {
    const requests = ROWS.flatMap(({ request, headers = [], sameAs = '/health' }) => {
      const [method = '', path = ''] = request.split(' ')
      const same = { method: 'GET', path: sameAs, headers: {} }
      return [{ method, path, headers: Object.fromEntries(headers.map(splitHeader)) }, same]
    })
    const list = { method: 'GET', path: '/api/v1/passports' }
    requests.push({ ...list, headers: {} }, { ...list, headers: ENCODINGS })
    const replies = await send({ base: server.url.origin, requests })
    expect(ROWS.length).toBeGreaterThan(30)
    for (const [at, { request, status, sameAs }] of ROWS.entries()) {
      const [reply, same] = [replies[2 * at], replies[2 * at + 1]]
      expect({ request, status: reply?.status }).toEqual({ request, status })
      if (sameAs !== undefined)
        expect({ request, body: reply?.body }).toEqual({ request, body: same?.body as string })
    }
    expect(replies).toHaveLength(requests.length)
    const [plain, compressed] = replies.slice(-2)
    expect(JSON.parse(compressed?.body ?? '').passports).toHaveLength(25)
    expect(compressed).toEqual(plain as Reply)
  }

  for (const [name, program, file, needed] of [
    ["Node's fetch", 'node', 'send-fetch.mjs', []],
    ['axios', 'node', 'send-axios.mjs', []],
    ['Python requests', 'python3', 'send_requests.py', ['python3-requests']],
  ] as const) {
    const send = async (sent: Sent): Promise<Reply[]> => {
      const child = Bun.spawn([program, join(import.meta.dir, '../../docs/programs', file)], {
        stdin: new Blob([JSON.stringify(sent)]),
        stdout: 'pipe',
      })
      return JSON.parse(await new Response(child.stdout).text())
    }
    test.if(hasPrograms(...needed))(`get their responses with ${name}`, () => check(send))
  }

  inBrowser('in a browser', (browser) => {
    test('get their responses on a page of another origin', async () => {
      await using site = serveBlankPage()
      const page = await browser.newPage()
      await page.goto(site.url.href)
      await check((sent) =>
        page.evaluate(async ({ base, requests }) => {
          const replies = []
          for (const { method, path, headers } of requests) {
            const response = await fetch(base + path, { method, headers })
            replies.push({ status: response.status, body: await response.text() })
          }
          return replies
        }, sent),
      )
    })
  })
})

function splitHeader(line: string): [string, string] {
  const [name = '', value = ''] = line.split(': ')
  return [name, value]
}
