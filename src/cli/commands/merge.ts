import { CommandError } from '../../domain/errors.ts'
import type { FullPassport } from '../../domain/passport.ts'
import { printable } from '../../domain/text/counts-and-sizes.ts'
import type { Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, defineCommand, invalidValue } from '../command.ts'
import { openConfigured } from '../open-store.ts'

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

export const remove = defineCommand({
  name: 'remove',
  summary: 'remove a passport from every response',
  description: `Deletes its record, credentials and wallets, and the passports merged into it. A later import or
    mirror skips it, unless it runs with --restore. The id of a passport that is not stored yet is accepted, too.
    Without --yes the command shows what it would remove.`,
  options: { yes: { about: 'confirm the removal' }, ...DATABASE_OPTIONS },
  forms: [{ args: 'ID' }],
  async run({ values, args: [given = ''] }, terminal) {
    const id = parseId(given)
    await using database = await openConfigured(terminal, values)
    const { store } = database
    const found = await store.passports.find({ id })
    if (!values.yes)
      throw new CommandError(`Nothing was removed: ${describeRemoval(id, found, database.name)}.`)
    await store.passports.remove(id, terminal.now())
    terminal.err(
      found
        ? `Passport ${id} is removed. Only an import or mirror with --restore adds it again.\n`
        : `There is no passport ${id} here. From now on only an import or mirror with --restore adds it.\n`,
    )
  },
})

const describeRemoval = (id: number, found: FullPassport | undefined, database: string) =>
  found
    ? `--yes removes passport ${id} (${printable(found.profile.displayName || 'without a name')}) and the passports merged into it from ${database}`
    : `there is no passport ${id} in ${database}; --yes makes later imports and mirrors skip it`

/** A change names a passport by its id, because a wallet can move to another passport. */
function parseId(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw invalidValue('A passport is named by its id, a whole number', text)
}

async function change(store: Store, ids: readonly number[], work: () => unknown): Promise<void> {
  for (const id of ids) {
    if (!(await store.passports.find({ id }))) throw new CommandError(`There is no passport ${id} here.`)
  }
  await work()
}
