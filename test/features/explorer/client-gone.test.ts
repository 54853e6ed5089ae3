import { expect, test } from 'bun:test'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { ClientGone } from '../../support/program/errors.ts'
import { record } from '../../support/store/records.ts'

const ADA = record(1, {
  profile: { displayName: 'Ada', tags: ['zk'] },
  scores: { total: 3, activity: 1, identity: 1, skills: 1 },
})

/** Work that ends only when its client disconnects. */
function createEndlessWork() {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const work = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        ended.resolve()
        reject(new ClientGone())
      })
      started.resolve()
    })
  return { started: started.promise, ended: ended.promise, work }
}

type Endless = ReturnType<typeof createEndlessWork>
type Replaced = Parameters<typeof servePeople>[1]

const evaluate = ({ work }: Endless): Replaced => ({
  index: {
    version: () => 1,
    call: (_name, _argument, signal) => work(signal),
    ask: (_question, _argument, signal) => work(signal),
  },
})
const draw = ({ work }: Endless): Replaced => ({ rasterize: (_svg, _width, signal) => work(signal) })

test.each([
  ['/?q=ada', 'evaluation', evaluate],
  ['/?filter=tag:zk', 'evaluation', evaluate],
  ['/credentials', 'evaluation', evaluate],
  ['/credentials/github', 'evaluation', evaluate],
  ['/compare?ids=1,2', 'evaluation', evaluate],
  ['/movers', 'comparison', evaluate],
  ['/movers.atom', 'comparison', evaluate],
  ['/passports/1', 'evaluation', evaluate],
  ['/badge/1.svg?show=top', 'evaluation', evaluate],
  ['/card/1.png', 'evaluation', evaluate],
  ['/card/1.png', 'drawing', draw],
  ['/card/site.png', 'drawing', draw],
  ['/favicon.ico', 'drawing', draw],
] as const)('a request for %s ends its %s when the client disconnects', async (target, _, make) => {
  const endless = createEndlessWork()
  await using server = await servePeople([ADA, { ...ADA, id: 2, mainWallet: '' }], {
    rasterize: async (svg) => new TextEncoder().encode(svg),
    ...make(endless),
  })
  const client = new AbortController()
  const response = server.look(target, { signal: client.signal }).catch(() => 'gone')
  await endless.started
  client.abort()
  await endless.ended
  expect(await response).toBe('gone')
})
