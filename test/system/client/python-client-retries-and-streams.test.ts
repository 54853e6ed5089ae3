import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { answer, serveRaw } from '../../support/http/faulty-proxy.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { tcpProxy } from '../../support/http/tcp-proxy.ts'
import { hasPrograms } from '../../support/programs.ts'
import { installPythonClient, type PythonClient } from '../../support/python-client.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { NOON, named } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const GOOD = JSON.stringify({ passport: { passport_id: 1 } })
const JSON_TYPE = { 'Content-Type': 'application/json' }
const error = (code: string) => JSON.stringify({ error: 'On purpose.', code, request_id: 'r' })

describe.if(hasPrograms('python3-build'))('the Python client', () => {
  const folder = tempFolder()
  let client: PythonClient
  beforeAll(async () => {
    client = await installPythonClient(folder.path)
  })
  afterAll(() => folder[Symbol.dispose]())

  test('raises rate_limited at once if Retry-After is longer than longest_wait', async () => {
    await using service = await limited('anonymous=1/10s')
    const program = `
show(client.passports.get(7)["passport_id"])
show(failure_of(lambda: client.passports.get(7)))
`
    const [first, second] = await client.run(program, service.url)
    expect(first).toBe(7)
    expect(second).toMatchObject({ code: 'rate_limited', status: 429, retry_after: 10 })
  })

  test('retries temporary failures, but does not follow redirects or wait for a response without end', async () => {
    const seen: string[] = []
    await using other = await serveRaw((socket, path, headers) => {
      seen.push(`other ${path} ${headers.get('X-API-KEY')}`)
      answer(socket, 200, JSON_TYPE, GOOD)
    })
    await using faulty = await serveRaw((socket, path) => {
      const way = path.split('/')[1] as string
      const times = seen.filter((each) => each === way).length
      seen.push(way)
      if (way === 'redirect') return answer(socket, 302, { Location: `${other.url}/api/v1/passports/1` }, '')
      if (way === 'page') return answer(socket, 200, { 'Content-Type': 'text/html' }, '<h1>Hello</h1>')
      if (way === 'array') return answer(socket, 200, JSON_TYPE, '[]')
      if (way === 'refused') return answer(socket, 403, JSON_TYPE, error('forbidden'))
      if (way === 'silent') return
      if (way === 'slow') {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n')
        const timer = setInterval(() => socket.write(' '), 10)
        return socket.on('close', () => clearInterval(timer))
      }
      if (way === 'cut') return answer(socket, 200, JSON_TYPE, GOOD, 5)
      if (times === 0) return answer(socket, 429, { ...JSON_TYPE, 'Retry-After': '0' }, error('rate_limited'))
      if (times === 1) return answer(socket, 503, JSON_TYPE, error('overloaded'))
      if (times === 2) return socket.resetAndDestroy()
      answer(socket, 200, JSON_TYPE, GOOD)
    })
    const program = `
for way in ["recovers", "redirect", "page", "array", "refused", "silent", "slow", "cut"]:
    failing = Client(f"{sys.argv[1]}/{way}", "secret", timeout=0.3, retries=3 if way == "recovers" else 1, longest_wait=0.01)
    show(failure_of(lambda: failing.passports.get(1)))
show(failure_of(lambda: Client("http://127.0.0.1:1", retries=0).passports.get(1)))
`
    const failures = (await client.run(program, faulty.url)) as ({ code: string; status: number } | null)[]
    expect(failures.map((each) => each && `${each.code} ${each.status}`)).toEqual([
      null,
      'invalid_answer 302',
      'invalid_answer 200',
      'invalid_answer null',
      'forbidden 403',
      'timeout null',
      'timeout null',
      'network null',
      'network null',
    ])
    const retried = ['silent', 'slow', 'cut'].flatMap((way) => [way, way])
    const once = ['redirect', 'page', 'array', 'refused']
    expect(seen).toEqual([...Array(4).fill('recovers'), ...once, ...retried])
  })

  test('events(follow=True) continues after killed connections, without losing or repeating an event', async () => {
    await using service = await serveRecords({}, [named(1, 'One', 1)])
    await using proxy = await tcpProxy(service.port)
    const { key } = await makeKey(service.store, 1)
    const program = `
for event in client.v3.events(types=["passport.added"], follow=True): show(event["subject"])
`
    await using running = client.start(program, `http://127.0.0.1:${proxy.port}`, key)
    expect(await running.next()).toBe('1')
    for (const id of [2, 3, 4]) {
      await saveRecords(service.store, [named(id, `Person ${id}`, id)])
      expect(await running.next()).toBe(`${id}`)
      proxy.cut()
    }
    proxy.refuse()
    await saveRecords(service.store, [named(5, 'Five', 5)])
    proxy.flow()
    expect(await running.next()).toBe('5')
  })

  test('events(follow=True) reads an incomplete event again, and raises an error that is not temporary', async () => {
    const page = JSON.stringify({ items: [], next: 'k-1' })
    const event = (id: string) =>
      `id: ${id}\ndata: ${JSON.stringify({ specversion: '1.0', id, name: 'é' })}\n\n`
    const stream = (text: string) => [200, { 'Content-Type': 'text/event-stream' }, text] as const
    const responses = [
      [200, JSON_TYPE, page],
      [200, JSON_TYPE, page],
      // The stream ends in the middle of a character.
      [
        ...stream(event('k-2') + event('k-3')),
        Buffer.byteLength(event('k-2')) + event('k-3').indexOf('é') + 1,
      ],
      [503, JSON_TYPE, error('unavailable')],
      stream(`${event('k-3')}:\nid: k-9\n\n`),
      [200, { 'Content-Type': 'text/html' }, '<h1>Hello</h1>'],
    ] as const
    const paths: string[] = []
    await using faulty = await serveRaw((socket, path) => {
      const [status, headers, body, length] = responses[paths.push(path) - 1] ?? [404, {}, '']
      answer(socket, status, headers, Buffer.from(body), length)
    })
    const program = `
show(failure_of(lambda: [show(event["id"]) for event in client.v3.events(follow=True)]))
`
    expect(await client.run(program, faulty.url)).toMatchObject(['k-2', 'k-3', { code: 'invalid_answer' }])
    const afters = ['k-1', 'k-2', 'k-2', 'k-9'].map((after) => `/api/v3/events?after=${after}`)
    expect(paths.slice(2)).toEqual(afters)
  })

  test('copy() yields all passports, then changes, merges and removals, and continues after a checkpoint', async () => {
    const people = Array.from({ length: 252 }, (_, id) => named(id, `Person ${id}`, id))
    await using service = await serveRecords({}, people)
    const { store } = service
    const { key } = await makeKey(store, 1)
    const program = `
copied, cursors = {}, []
def apply(changes):
    for change in changes:
        if change["type"] == "start": copied.clear()
        if change["type"] == "put": copied[change["passport"]["passport_id"]] = change["passport"]["score"]
        if change["type"] == "delete": show(change); copied.pop(change["id"], None)
        if change["type"] == "checkpoint":
            cursors.append(change["cursor"])
            if change["is_current"]: show([len(copied), copied.get(1), copied.get(2)])
apply(client.v3.copy(select=["score"]))
mark = cursors[0]
copied.clear()
apply(client.v3.copy(select=["score"], after=mark))
apply(client.v3.copy(after=cursors[-1], follow=True))
`
    await using running = client.start(program, service.url, key)
    expect(await running.next()).toEqual([252, 1, 2])
    // The first checkpoint was after 250 passports.
    expect(await running.next()).toEqual([2, 1, null])
    expect(await running.next()).toEqual([2, 1, null])
    await saveRecords(store, [named(1, 'Person 1', 50)])
    expect(await running.next()).toEqual([2, 50, null])
    await store.passports.merge(3, 2)
    expect(await running.next()).toEqual({ type: 'delete', id: 3, merged_into: 2 })
    expect(await running.next()).toEqual([3, 50, 2])
    await store.passports.remove(1, NOON)
    expect(await running.next()).toEqual({ type: 'delete', id: 1 })
    expect(await running.next()).toEqual([2, null, 2])
  })

  test('copy() says that it starts again if events after its cursor were deleted', async () => {
    await using service = await serveRecords({}, [named(1, 'One', 1)])
    const { key } = await makeKey(service.store, 1)
    const program = `
show([change["type"] for change in client.v3.copy(after="foreign-1")])
`
    const steps = ['start', 'put', 'checkpoint', 'checkpoint']
    expect(await client.run(program, service.url, key)).toEqual([steps])
  })
})
