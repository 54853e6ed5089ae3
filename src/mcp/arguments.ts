import Type, { type Static, type TSchema } from 'typebox'
import { Check, Convert, Errors } from 'typebox/value'
import { ServiceError } from '../domain/errors.ts'
import { describeProblems } from '../domain/record/validation-problem.ts'
import { MAX_LIST } from './sanitize.ts'

export const SearchArguments = Type.Object({
  keyword: Type.Optional(
    Type.String({ description: 'Part of the name, at most 200 characters; default: all passports' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 25, default: 10, description: 'Passports per page' }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
})

const passport = Type.String({
  description: 'A passport id, such as 42, a wallet address, or a handle such as github:zoe',
})
const time = (description: string) =>
  Type.String({
    description: `${description}: a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z`,
  })

export const PassportArguments = Type.Object({ passport })

export const LookupArguments = Type.Object({
  keys: Type.Array(passport, {
    minItems: 1,
    maxItems: MAX_LIST,
    description: 'Passports, in any mix of keys',
  }),
})

export const ScoreAtArguments = Type.Object({ passport, as_of: time('A time in the past') })

export const WhatChangedArguments = Type.Object({
  passport,
  from: time('Begin'),
  to: Type.Optional(time('End; default: now')),
})

/** Agents send an id as a number and a missing value as null, although the schema says otherwise. */
export function parseArguments<T extends TSchema>(
  schema: T,
  given: Readonly<Record<string, unknown>>,
): Static<T> {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  const args = Convert(schema, Object.fromEntries(present))
  if (Check(schema, args)) return args
  const [problem] = describeProblems(args, Errors(schema, args))
  throw new ServiceError('invalid_request', `${problem?.field} ${problem?.reason}.`)
}
