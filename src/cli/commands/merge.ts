import { readConfig } from '../../config.ts'
import { DATABASE_OPTIONS, parseOptions, refuseExtra } from '../args.ts'
import { openForCommand } from '../open-store.ts'
import { change, parseIdArgument } from '../passport-argument.ts'
import type { Terminal } from '../terminal.ts'

const MERGE_OPTIONS = { ...DATABASE_OPTIONS, undo: { type: 'boolean' } } as const

export async function merge(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('merge', args, MERGE_OPTIONS, 2)
  const usage = values.undo ? 'passportd merge FROM --undo' : 'passportd merge FROM INTO'
  const from = parseIdArgument(positionals[0], usage)
  const into = values.undo ? undefined : parseIdArgument(positionals[1], usage)
  if (values.undo) refuseExtra('merge', positionals.slice(1))
  const { database } = readConfig(terminal.env, values)
  await using store = await openForCommand(database)
  if (into === undefined) {
    await change(store, [from], () => store.passports.unmerge(from))
    terminal.err(`Passport ${from} stands on its own again.\n`)
  } else {
    await change(store, [from, into], () => store.passports.merge(from, into))
    terminal.err(`Passport ${from} now leads to ${into}. "passportd merge ${from} --undo" takes it back.\n`)
  }
}

export async function remove(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('remove', args, DATABASE_OPTIONS, 1)
  const id = parseIdArgument(positionals[0], 'passportd remove ID')
  const { database } = readConfig(terminal.env, values)
  await using store = await openForCommand(database)
  await change(store, [id], () => store.passports.remove(id, terminal.now()))
  terminal.err(`Passport ${id} is removed. It comes back only by an import or mirror with --restore.\n`)
}
