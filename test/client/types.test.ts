import { expect, test } from 'bun:test'
import type { Static } from 'typebox'
import type * as client from '../../packages/client/src/index.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type * as schemas from '../../src/domain/v1/schemas.ts'

/** False if a field is missing or optional in only one of the types. */
type Flat<T> = T extends (infer Item)[]
  ? Flat<Item>[]
  : T extends object
    ? { [Name in keyof T]: Flat<T[Name]> }
    : T
type Same<A, B> =
  (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false

type Shape<Name extends keyof typeof schemas> = Static<(typeof schemas)[Name]>

/** Does not compile if a type differs from the schema of the OpenAPI document. */
const SAME: [
  Same<client.Passport, Shape<'Passport'>>,
  Same<client.ListedPassport, Shape<'ListedPassport'>>,
  Same<client.PassportProfile, Shape<'PassportProfile'>>,
  Same<client.PassportSocial, Shape<'PassportSocial'>>,
  Same<client.Credential, Shape<'Credential'>>,
  Same<client.Pagination, Shape<'Pagination'>>,
  Same<client.PassportPage, Shape<'PassportListBody'>>,
  // Only pages respond with `not_acceptable`.
  Same<
    Exclude<client.PassportErrorCode, 'timeout' | 'network' | 'invalid_answer'>,
    Exclude<ErrorCode, 'not_acceptable'>
  >,
] = [true, true, true, true, true, true, true, true]

/** Shows that the check can fail. */
const OTHER: Same<{ a: number }, { a?: number }> = false

test('the types of the client equal those of the API', () => {
  expect([...SAME, !OTHER]).not.toContain(false)
})
