import { type Config, readConfig, unknownSettings } from '../config.ts'
import { inventPeople } from '../ingest/demo/people.ts'
import { createLog } from '../log.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import type { Store } from '../store/store.ts'
import { SERVE_HELP } from './help.ts'
import { drain, listen } from './listener.ts'
import { loadRules } from './rules.ts'
import { startScorer } from './scorer.ts'
import { aborted, asked } from './signals.ts'
import type { Terminal } from './terminal.ts'
import { DATABASE_OPTIONS, parseOptions, refuseExtra } from './usage.ts'
import { VERSION } from './version.ts'
import { count } from './words.ts'

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('serve', args, DATABASE_OPTIONS)
  if (values.help) return terminal.out(SERVE_HELP)
  refuseExtra('serve', positionals)
  const demo = values.demo === true
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  loadRules(config.rules)

  const store = openSqlite(config.database)
  try {
    if (demo) await fillWithPeople(store, terminal.now())
    const server = listen({ config, store, now: terminal.now, log })
    const end = asked()
    const scorer = startScorer({ database: config.database, rules: config.rules }, log)
    terminal.out(await greeting(server.url, config, store, demo))
    await aborted(end)
    await Promise.all([drain(server), scorer.stop()])
  } finally {
    await store.close()
  }
}

async function fillWithPeople(store: Store, now: number): Promise<void> {
  const people = inventPeople().map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.saveIfEmpty(people, { now, restore: false })
}

async function greeting(url: URL, config: Config, store: Store, demo: boolean): Promise<string> {
  const { total } = await store.passports.list({ page: 1, size: 1, keyword: undefined })
  const address = url.origin
  const flag = demo ? '--demo ' : ''
  return `passportd ${VERSION} serves ${count(total, 'passport')} from ${config.database}

  API        ${address}/api/v1/passports
  Reference  ${address}/reference
  Health     ${address}/health
  Keys       ${config.requireKey ? 'required' : 'optional'}

Try it:      curl ${config.requireKey ? '-H "X-API-KEY: $KEY" ' : ''}'${address}/api/v1/passports?per_page=3'
Make a key:  npm run -s passportd -- keys create ${flag}--name me
`
}
