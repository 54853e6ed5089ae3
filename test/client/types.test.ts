import { expect, test } from 'bun:test'
import type { Static } from 'typebox'
import type * as client from '../../packages/client/src/index.ts'
import type { ErrorCode } from '../../src/domain/errors.ts'
import type * as schemas from '../../src/domain/record/schemas.ts'
import type * as v1 from '../../src/domain/v1/schemas.ts'
import type * as eventSchemas from '../../src/domain/v3/event-schema.ts'
import type * as v3Schemas from '../../src/domain/v3/schemas.ts'

/** False if a field is missing or optional in only one of the types. */
type Flat<T> = T extends (infer Item)[]
  ? Flat<Item>[]
  : T extends object
    ? { [Name in keyof T]: Flat<T[Name]> }
    : T
type Same<A, B> =
  (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false

type Schemas = typeof schemas & typeof v1
type Shape<Name extends keyof Schemas> = Static<Schemas[Name]>

type ShapeV3<Name extends keyof typeof v3Schemas> = Static<(typeof v3Schemas)[Name]>

/** Does not compile if a type differs from the schema of the OpenAPI document. */
const SAME: [
  Same<client.Passport, Shape<'Passport'>>,
  Same<client.ListedPassport, Shape<'ListedPassport'>>,
  Same<client.PassportProfile, Shape<'PassportProfile'>>,
  Same<client.PassportSocial, Shape<'PassportSocial'>>,
  Same<client.Credential, Shape<'Credential'>>,
  Same<client.Pagination, Shape<'Pagination'>>,
  Same<client.PassportPage, Shape<'PassportListBody'>>,
  // Only pages respond with `not_acceptable`, and no key lacks a scope yet.
  Same<
    Exclude<client.PassportErrorCode, 'timeout' | 'network' | 'invalid_answer'>,
    Exclude<ErrorCode, 'forbidden' | 'not_acceptable'>
  >,
] = [true, true, true, true, true, true, true, true]

/** A passport with `select` is any object in the schema, so that pages and lookups are compared with whole passports. */
type Whole<Body> = Body extends { items: (infer Item)[] }
  ? Omit<Body, 'items'> & { items: WholeItem<Item>[] }
  : never
type WholeItem<Item> = Item extends { passport: unknown }
  ? Omit<Item, 'passport'> & { passport: client.V3Passport }
  : Item

type WireEvent = Static<typeof eventSchemas.Event>

const SAME_V3: [
  Same<client.V3Passport, ShapeV3<'Passport'>>,
  Same<client.V3Profile, ShapeV3<'Profile'>>,
  Same<client.V3Social, ShapeV3<'Social'>>,
  Same<client.V3Credential, ShapeV3<'Credential'>>,
  Same<client.V3Standing, ShapeV3<'Standing'>>,
  Same<client.V3ExplanationLine, ShapeV3<'ExplanationLine'>>,
  Same<client.V3Explanation, ShapeV3<'Explanation'>>,
  Same<client.V3Group, ShapeV3<'Group'>>,
  Same<client.V3LookupBody, Whole<ShapeV3<'LookupBody'>>>,
  Same<Omit<client.V3Page, 'items'>, Omit<ShapeV3<'ListBody'>, 'items'>>,
  Same<client.V3ScoreChange, Static<typeof eventSchemas.ScoreChangedData>>,
  Same<client.V3EventType, WireEvent['type']>,
  // The schema does not say which data a type has.
  Same<client.V3Diff, Static<typeof eventSchemas.Diff>>,
  client.V3Event extends WireEvent ? true : false,
  Same<keyof client.V3Event, keyof WireEvent>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]

/** Shows that the check can fail. */
const OTHER: Same<{ a: number }, { a?: number }> = false

test('the types of the client equal those of the API', () => {
  expect([...SAME, ...SAME_V3, !OTHER]).not.toContain(false)
})
