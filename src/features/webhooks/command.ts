import { CommandError } from '../../core/basics/errors.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION, type Terminal } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { formatTable } from '../../core/cli/table.ts'
import type { Store } from '../../core/store/store.ts'
import { presentSubscription } from './present.ts'
import { SUBSCRIPTIONS } from './statements.ts'

export const subscriptions = defineCommand({
  name: 'subscriptions',
  summary: 'manage webhooks',
  description: `Clients create subscriptions with POST /api/v3/subscriptions. list shows the state of their delivery.
    Running servers apply every change within seconds.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [
    { action: 'list', options: ['json'] },
    { action: 'pause', args: 'ID', options: [] },
    { action: 'resume', args: 'ID', options: [], about: 'also after delivery failed or was disabled' },
    { action: 'remove', args: 'ID', options: [] },
  ],
  defaultAction: 'list',
  async run({ values, args: [id = ''], action }, terminal) {
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    if (action === 'list') return await printSubscriptions(store, name, values.json === true, terminal)
    const isKnown =
      action === 'remove'
        ? await store.data(SUBSCRIPTIONS).remove(id, 'cli')
        : await store
            .data(SUBSCRIPTIONS)
            .change(id, { state: action === 'pause' ? 'paused' : 'active' }, 'cli')
    if (!isKnown)
      throw new CommandError(
        `There is no subscription "${printable(id)}" in ${name}: "subscriptions list" shows the ids.`,
      )
    terminal.err(`Subscription ${id} is ${DONE[action]}.\n`)
  },
})

const DONE = { pause: 'paused', resume: 'active', remove: 'removed' }

async function printSubscriptions({ data, events }: Store, name: string, json: boolean, terminal: Terminal) {
  const log = await events.log()
  const subscriptions = (await data(SUBSCRIPTIONS).list()).map((subscription) => ({
    key: subscription.keyId,
    ...presentSubscription(subscription, log),
  }))
  if (json) return terminal.out(toJsonText(subscriptions))
  if (subscriptions.length === 0) return terminal.err(`There are no subscriptions in ${name}.\n`)
  const rows = subscriptions.map(({ id, key, state, lag, failures, url, last_error, notice }) => [
    ...[id, key, state, String(lag), String(failures), printable(url)],
    printable(last_error ?? notice ?? '-'),
  ])
  terminal.out(formatTable([['ID', 'KEY', 'STATE', 'LAG', 'FAILURES', 'URL', 'PROBLEM'], ...rows]))
}
