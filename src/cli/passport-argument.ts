import { CommandError } from '../domain/errors.ts'
import { type PassportRef, parsePassportRef } from '../domain/passport.ts'
import type { Store } from '../store/store.ts'
import { invalidValue } from './command.ts'

export function parseRef(text: string): PassportRef {
  const ref = parsePassportRef(text)
  if (ref) return ref
  throw invalidValue('A passport is named by its id or a wallet', text)
}

/** Changes take an id: a wallet can move to another passport. */
export function parseId(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw invalidValue('A passport is named by its id, a whole number', text)
}

/** Runs `work` if the passports exist. */
export async function change(store: Store, ids: readonly number[], work: () => unknown): Promise<void> {
  for (const id of ids) {
    if (!(await store.passports.find({ id }))) throw new CommandError(`There is no passport ${id} here.`)
  }
  await work()
}
