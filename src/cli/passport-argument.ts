import { CommandError } from '../domain/errors.ts'
import { type PassportRef, parsePassportRef } from '../domain/passport.ts'
import type { Store } from '../store/store.ts'
import { UsageError } from './args.ts'

/** A passport id or wallet that was typed. */
export function parseRefArgument(text: string | undefined, usage: string): PassportRef {
  if (text === undefined) throw new UsageError(`Name the passport, by id or wallet: ${usage}.`)
  const ref = parsePassportRef(text)
  if (!ref) throw new UsageError(`"${text}" is no passport id or wallet: ${usage}.`)
  return ref
}

/** A passport id that was typed; wallets move, so what changes a passport wants its id. */
export function parseIdArgument(text: string | undefined, usage: string): number {
  if (text === undefined) throw new UsageError(`Name the passport by its id: ${usage}.`)
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(id)) throw new UsageError(`"${text}" is no passport id: ${usage}.`)
  return id
}

/** Runs a change, and says in words which passport is not there. */
export async function change(store: Store, ids: readonly number[], work: () => unknown): Promise<void> {
  for (const id of ids) {
    if (!(await store.passports.find({ id }))) throw new CommandError(`There is no passport ${id} here.`)
  }
  await work()
}
