export { type Cache, type CachedResponse, createMemoryCache } from './cache.ts'
export { type Client, createClient, type ListOptions, type PageOptions } from './client.ts'
export { CursorExpiredError, type InvalidValue, PassportError, type PassportErrorCode } from './errors.ts'
export type { Fetch } from './exchange.ts'
export type { ClientOptions, Deprecation, RequestOptions } from './transport.ts'
export type * from './types.ts'
export type {
  EventOptions,
  FieldOptions,
  Instant,
  PassportOptions,
  V3ListOptions,
  V3PageOptions,
} from './v3.ts'
