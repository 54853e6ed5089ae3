import { CommandError } from '../../core/basics/errors.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import { DATABASE_OPTIONS, defineCommand, UsageError } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { parseId } from '../../core/cli/passport-argument.ts'
import { sizeOf, walOf } from '../../core/store/database/sqlite/wal-checks.ts'
import { SUBJECTS } from '../../core/store/sql/passports.ts'

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
      if (!(await store.data(SUBJECTS).findById(id)))
        throw new CommandError(`There is no passport ${id} here.`)
    if (into === undefined) {
      await store.passports.unmerge(from, terminal.now())
      const isHidden = (await store.data(SUBJECTS).findById(from))?.hidden
      const rest = isHidden ? `, and stays hidden: "${PROGRAM} unhide ${from}" shows it` : ''
      terminal.err(`Passport ${from} is separate again${rest}.\n`)
    } else {
      await store.passports.merge(from, into, terminal.now())
      terminal.err(`Passport ${from} now leads to ${into}. "${PROGRAM} merge ${from} --undo" reverts this.\n`)
    }
  },
})

export const remove = defineCommand({
  name: 'remove',
  summary: 'remove a passport from every response',
  description: `Deletes its record, credentials and wallets, and the passports merged into it. A later import or
    mirror skips records with its id or one of its wallets, unless it runs with --restore. The id of a passport that
    is not stored yet is accepted, too. Without --yes the command shows what it would remove. "doctor --erasure"
    lists copies that remain.`,
  options: { yes: { about: 'confirm the removal' }, ...DATABASE_OPTIONS },
  forms: [{ args: 'ID' }],
  async run({ values, args: [argument = ''] }, terminal) {
    const id = parseId(argument)
    await using database = await openConfigured(terminal, values)
    const { store, name } = database
    const subject = await store.data(SUBJECTS).findById(id)
    if (!values.yes) {
      const effect = subject
        ? `--yes removes passport ${id} (${printable(subject.name || 'without a name')}) and the passports merged into it from ${name}`
        : `there is no passport ${id} in ${name}; --yes makes later imports and mirrors skip it`
      throw new UsageError(`Nothing was removed: ${effect}.`)
    }
    await store.passports.remove(id, terminal.now())
    const { database: address } = database.config
    if (subject && address.engine === 'sqlite' && sizeOf(walOf(address.path)) > 0)
      terminal.err(
        `${walOf(address.path)} still has copies, because another process reads the database. Run the command again when it has ended.\n`,
      )
    terminal.err(
      subject
        ? `Passport ${id} is removed. Only an import or mirror with --restore adds it again.\n`
        : `There is no passport ${id} here. From now on only an import or mirror with --restore adds it.\n`,
    )
  },
})
