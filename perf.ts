import { serveTest } from './test/support/http/server.ts'
import { openTestStore } from './test/support/store/engines.ts'
import { fillWithDemo } from './src/ingest/demo/fill-with-demo.ts'
import { NOON } from './test/support/store/records.ts'
const store = await openTestStore('sqlite'); await fillWithDemo(store, NOON)
const keys = await import('./test/support/proof/snapshots.ts').catch(()=>undefined)
const s = serveTest(store, keys ? { signing: keys.KEYS, publicUrl: 'https://x.example' } as any : {})
async function time(label: string, n: number, headers: Record<string,string> = {}, q='') {
  const runs: number[] = []
  for (let r=0;r<5;r++){ const t=performance.now(); let next=0
    await Promise.all(Array.from({length:16}, async () => { while (next<n) { const id = 1+(next++ % 900); const x = await fetch(`${s.url.origin}/api/v3/passports/${id}${q}`, {headers}); await x.arrayBuffer() } }))
    runs.push((performance.now()-t)/n*1000) }
  console.log(label, runs.map(x=>x.toFixed(0)).join(' '), 'us')
}
await time('by id', 4000)
await time('explanation', 2000, {}, '?include=explanation')
if (keys) await time('snapshot', 2000, { Accept: 'application/vc+jwt' })
await s.stop(true); await store[Symbol.asyncDispose]()
