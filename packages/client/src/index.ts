export { type Cache, type CachedResponse, createMemoryCache } from './cache.ts'
export { type Client, createClient, type ListOptions, type PageOptions } from './client.ts'
export type { Deprecation } from './deprecation.ts'
export { PassportError, type PassportErrorCode } from './errors.ts'
export type { ClientOptions, Fetch, RequestOptions } from './transport.ts'
export type {
  Credential,
  ListedPassport,
  Pagination,
  Passport,
  PassportPage,
  PassportProfile,
  PassportSocial,
} from './types.ts'
