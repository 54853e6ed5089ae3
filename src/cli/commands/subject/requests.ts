import { CommandError } from '../../../domain/errors.ts'
import { printable, printableLines } from '../../../domain/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from '../../command.ts'
import { openConfigured } from '../../open-store.ts'
import { formatTable } from '../../table.ts'

const LONGEST_PREVIEW = 60

export const requests = defineCommand({
  name: 'requests',
  summary: 'answer the correction requests of people',
  description: `People send requests on the page /me, after proving a wallet of their passport. done deletes a
    request; the audit log keeps its id.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [
    { action: 'list', options: ['json'], about: 'the open requests, oldest first' },
    { action: 'show', args: 'ID', options: ['json'] },
    { action: 'done', args: 'ID', options: [] },
  ],
  defaultAction: 'list',
  async run({ values, args: [id = ''], action }, terminal) {
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    const open = (await store.requests.list()).map(({ passportId, createdAt, ...request }) => ({
      ...request,
      passport_id: passportId,
      created_at: new Date(createdAt).toISOString(),
    }))
    if (action === 'list') {
      if (values.json) return terminal.out(`${JSON.stringify(open)}\n`)
      if (open.length === 0) return terminal.err(`There are no open requests in ${name}.\n`)
      const rows = open.map(({ id, passport_id, created_at, text }) => [
        ...[id, String(passport_id), created_at],
        printable(text.replace(/\s+/g, ' ').slice(0, LONGEST_PREVIEW)),
      ])
      return terminal.out(formatTable([['ID', 'PASSPORT', 'SENT', 'TEXT'], ...rows]))
    }
    const found = open.find((each) => each.id === id)
    if (!found)
      throw new CommandError(
        `There is no open request "${printable(id)}" in ${name}: "requests list" shows the ids.`,
      )
    if (action === 'done') {
      await store.requests.remove(id)
      return terminal.err(`Request ${id} of passport ${found.passport_id} is done and deleted.\n`)
    }
    if (values.json) return terminal.out(`${JSON.stringify(found)}\n`)
    terminal.out(
      `Request ${id} of passport ${found.passport_id}, ${found.created_at}\n\n${printableLines(found.text)}\n`,
    )
  },
})
