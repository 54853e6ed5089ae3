import { CommandError } from '../../domain/errors.ts'
import type { Store } from '../../store/store.ts'
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
    if (into === undefined) {
      await change(store, [from], () => store.passports.unmerge(from, terminal.now()))
      terminal.err(`Passport ${from} is separate again.\n`)
    } else {
      await change(store, [from, into], () => store.passports.merge(from, into, terminal.now()))
      terminal.err(`Passport ${from} now leads to ${into}. "passportd merge ${from} --undo" reverts this.\n`)
    }
  },
})

async function change(store: Store, ids: readonly number[], work: () => unknown): Promise<void> {
  for (const id of ids) {
    if (!(await store.passports.find({ id }))) throw new CommandError(`There is no passport ${id} here.`)
  }
  await work()
}
