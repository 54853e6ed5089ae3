import { CommandError } from '../../../domain/errors.ts'
import { isoTime } from '../../../domain/text/instant.ts'
import { printable, printableLines } from '../../../domain/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../../command.ts'
import { openConfigured } from '../../open-store.ts'
import { formatTable } from '../../table.ts'

export const requests = defineCommand({
  name: 'requests',
  summary: 'answer the correction requests of people',
  description: `People send requests on the page /me, after proving a wallet of their passport. done deletes a
    request; the audit log keeps its id.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [
    { action: 'list', options: ['json'], about: 'the open requests, oldest first' },
    { action: 'show', args: 'ID', options: [] },
    { action: 'done', args: 'ID', options: [] },
  ],
  defaultAction: 'list',
  async run({ values, args: [wanted = ''], action }, terminal) {
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    const open = (await store.requests.list()).map((each) => ({
      ...each,
      created_at: isoTime(each.created_at),
    }))
    if (values.json) return terminal.out(`${JSON.stringify(open)}\n`)
    if (action === 'list') {
      if (open.length === 0) return terminal.err(`There are no open requests in ${name}.\n`)
      const rows = open.map(({ id, passport_id, created_at, text }) =>
        [id, `${passport_id}`, `${created_at}`, text.replace(/\s+/g, ' ').slice(0, 60)].map(printable),
      )
      return terminal.out(formatTable([['ID', 'PASSPORT', 'SENT', 'TEXT'], ...rows]))
    }
    const found = open.find(({ id }) => id === wanted)
    const unknown = `There is no open request "${printable(wanted)}" in ${name}: "requests list" shows the ids.`
    if (!found) throw new CommandError(unknown)
    const title = `Request ${found.id} of passport ${found.passport_id}`
    if (action === 'show')
      return terminal.out(`${title}, ${found.created_at}\n\n${printableLines(found.text)}\n`)
    await store.requests.remove(found.id)
    terminal.err(`${title} is done and deleted.\n`)
  },
})
