export { type Cache, type CachedResponse, createMemoryCache } from './cache.ts'
export { type Client, createClient, type ListOptions, type PageOptions } from './client.ts'
export type { Deprecation } from './deprecation.ts'
export { CursorExpiredError, type InvalidValue, PassportError, type PassportErrorCode } from './errors.ts'
export type { Fetch } from './exchange.ts'
export type { ClientOptions, RequestOptions } from './transport.ts'
export type {
  Credential,
  ListedPassport,
  Pagination,
  Passport,
  PassportPage,
  PassportProfile,
  PassportSocial,
  V3Cause,
  V3Credential,
  V3Diff,
  V3Event,
  V3EventPage,
  V3EventType,
  V3Explanation,
  V3ExplanationLine,
  V3Group,
  V3Include,
  V3LookupBody,
  V3LookupItem,
  V3Page,
  V3Passport,
  V3PassportField,
  V3Profile,
  V3ScoreChange,
  V3SelectedPassport,
  V3Social,
  V3Standing,
} from './types.ts'
export type {
  EventOptions,
  FieldOptions,
  Instant,
  PassportOptions,
  V3ListOptions,
  V3PageOptions,
} from './v3.ts'
