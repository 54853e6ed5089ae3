import { CommandError, describeError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { DATABASE_OPTIONS, defineCommand, type Terminal } from '../../core/cli/command.ts'
import { MUST_EXIST } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { shutdownSignal } from '../../core/cli/shutdown-signal.ts'
import { readConfig } from '../../core/config/config.ts'
import { adoptRules, keepRescoring, type Rescorer, rescoreSome } from '../../core/scoring/rescore.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import { openStore } from '../../core/store/open.ts'
import { prepareRules } from './rules-setting.ts'

export const score = defineCommand({
  name: 'score',
  summary: 'calculate stale scores',
  description: '"passportd serve" calculates scores by itself. Several scorers share the work.',
  options: {
    all: { about: 'calculate every score, including scores that are up to date' },
    watch: { about: 'continue until stopped (Ctrl+C or SIGTERM)' },
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values }, terminal) {
    const config = readConfig(terminal.env, values)
    const rulesSetting = await prepareRules({ config, demo: false, now: terminal.now })
    const onFailure = (id: number, error: unknown) =>
      terminal.err(`Passport ${id} cannot be scored: ${describeError(error)}\n`)
    await using store = await openStore(config.database, MUST_EXIST)
    await rulesSetting.beforeThreads(store)
    await rulesSetting.beforeScoring(store)
    const rules = await findRules(store)
    const scorer = { store, rules, now: terminal.now, onFailure }
    await adoptRules(scorer)
    if (values.all) await store.scoring.markAll()
    const done = await scoreStale(scorer, terminal)
    terminal.err(`Scored ${count(done, 'passport')} by rule set ${rules.version}.\n`)
    if (values.watch) await watch(scorer, terminal)
  },
})

async function scoreStale(scorer: Rescorer, terminal: Terminal): Promise<number> {
  using progress = createProgress(terminal, 'passports', await scorer.store.scoring.countStale())
  let done = 0
  for (;;) {
    const some = await rescoreSome(scorer)
    if (some === undefined)
      throw new CommandError('Another rule set was applied meanwhile: run the command again to use it.')
    if (some === 0) return done
    done += some
    progress.update(done)
    await new Promise(setImmediate)
  }
}

async function watch(scorer: Rescorer, terminal: Terminal): Promise<void> {
  using end = shutdownSignal()
  terminal.err('Watching for stale passports. Stop with Ctrl+C.\n')
  await keepRescoring(scorer, end, () =>
    terminal.err('Scorers of another version use another built-in rule set: they handle stale passports.\n'),
  )
}
