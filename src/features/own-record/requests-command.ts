import { CommandError } from '../../core/basics/errors.ts'
import { isoTime } from '../../core/basics/text/instant.ts'
import { printable, printableLines, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { REQUESTS } from './statements.ts'

export const requests = defineCommand({
  name: 'requests',
  summary: 'list and close the correction requests of people',
  description: `People send requests on the page /me, after proving a wallet of their passport. done deletes a
    request; the audit log keeps its id.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [
    { action: 'list', options: ['json'], about: 'the open requests, oldest first' },
    { action: 'done', args: 'ID', options: [] },
  ],
  defaultAction: 'list',
  async run({ values, args: [wanted = ''], action }, terminal) {
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    if (action === 'done') {
      const unknown = `There is no open request "${printable(wanted)}" in ${name}: "requests list" shows the ids.`
      if (!(await store.data(REQUESTS).remove(wanted))) throw new CommandError(unknown)
      return terminal.err(`Request ${wanted} is done and deleted.\n`)
    }
    const stored = await store.data(REQUESTS).list()
    const open = stored.map((request) => ({ ...request, created_at: isoTime(request.created_at) }))
    if (values.json) return terminal.out(toJsonText(open))
    if (open.length === 0) return terminal.err(`There are no open requests in ${name}.\n`)
    for (const { id, passport_id, created_at, text } of open)
      terminal.out(`Request ${id} of passport ${passport_id}, ${created_at}\n\n${printableLines(text)}\n\n`)
  },
})
