import { CommandError } from '../../domain/errors.ts'
import { PROGRAM } from '../../version.ts'
import { DATABASE_OPTIONS, defineCommand } from '../command.ts'
import { openConfigured } from '../open-store.ts'
import { parseId } from '../passport-key.ts'

export const merge = defineCommand({
  name: 'merge',
  summary: 'merge one passport into another',
  options: { undo: { about: 'separate a merged passport' }, ...DATABASE_OPTIONS },
  forms: [
    { args: 'FROM INTO', options: [], about: 'the id and wallets of FROM lead to INTO' },
    { args: 'FROM', required: ['undo'], options: [], about: 'FROM is separate again' },
  ],
  async run({ values, args: [first = '', second] }, terminal) {
    const from = parseId(first)
    const into = second === undefined ? undefined : parseId(second)
    await using database = await openConfigured(terminal, values)
    const { store } = database
    for (const id of into === undefined ? [from] : [from, into])
      if (!(await store.passports.find({ id }))) throw new CommandError(`There is no passport ${id} here.`)
    if (into === undefined) {
      await store.passports.unmerge(from, terminal.now())
      terminal.err(`Passport ${from} is separate again.\n`)
    } else {
      await store.passports.merge(from, into, terminal.now())
      terminal.err(`Passport ${from} now leads to ${into}. "${PROGRAM} merge ${from} --undo" reverts this.\n`)
    }
  },
})
