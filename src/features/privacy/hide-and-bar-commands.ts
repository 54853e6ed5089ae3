import { sha256 } from '../../core/basics/canonical-json.ts'
import { CommandError } from '../../core/basics/errors.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import { DATABASE_OPTIONS, defineCommand, invalidValue } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { parseId } from '../../core/cli/passport-argument.ts'
import { type PassportRef, parsePassportRef } from '../../core/passport/passport.ts'
import { SUBJECTS } from '../../core/store/sql/passports.ts'
import { REMOVALS } from '../../core/store/write/write-records.ts'

const defineHiding = (hidden: boolean, described: { name: string; summary: string; description: string }) =>
  defineCommand({
    ...described,
    options: DATABASE_OPTIONS,
    forms: [{ args: 'ID' }],
    async run({ values, args: [text = ''] }, terminal) {
      const id = parseId(text)
      await using database = await openConfigured(terminal, values)
      const { passports, data } = database.store
      const person = await data(SUBJECTS).findById(id)
      if (!person) throw new CommandError(`There is no passport ${id} here.`)
      if (person.hidden === hidden)
        throw new CommandError(`Passport ${id} is ${hidden ? 'hidden already' : 'not hidden'}.`)
      await passports.hide(id, hidden, terminal.now())
      terminal.err(`Passport ${id} is ${hidden ? 'hidden from every response' : 'shown again'}.\n`)
    },
  })

export const hide = defineHiding(true, {
  name: 'hide',
  summary: 'hide a passport from every response',
  description: `The record stays stored, and imports and scores go on. The passports merged into it are hidden,
    too. Clients of the event feed get passport.removed.`,
})

export const unhide = defineHiding(false, {
  name: 'unhide',
  summary: 'show a hidden passport again',
  description: 'Clients of the event feed get passport.added.',
})

export const bar = defineCommand({
  name: 'bar',
  summary: 'skip later records of a person who is not stored',
  description: `An import or mirror skips records with this id or wallet, unless it runs with --restore. Of a wallet,
    only its SHA-256 is stored. A removal does the same for the id and the wallets of the removed person.`,
  options: DATABASE_OPTIONS,
  forms: [{ args: 'ID|WALLET' }],
  async run({ values, args: [text = ''] }, terminal) {
    const ref = parseRef(text)
    const removal = 'id' in ref ? String(ref.id) : sha256(ref.wallet)
    await using database = await openConfigured(terminal, values)
    const { data } = database.store
    const subjects = data(SUBJECTS)
    const stored = await ('id' in ref ? subjects.findById(ref.id) : subjects.find(ref.wallet))
    if (stored)
      throw new CommandError(`Passport ${stored.id} is stored: use "${PROGRAM} remove ${stored.id}" instead.`)
    await data(REMOVALS).apply([removal], terminal.now())
    terminal.err(
      `Records with ${printable(text)} are skipped from now on, except by an import with --restore.\n`,
    )
  },
})

export function parseRef(text: string): PassportRef {
  const ref = parsePassportRef(text)
  if (!ref) throw invalidValue('A person is named by a passport id or a wallet', text)
  return ref
}
