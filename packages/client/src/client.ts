import { type ClientOptions, createTransport, type RequestOptions } from './transport.ts'
import type { Credential, ListedPassport, Passport, PassportPage } from './types.ts'

export type ListOptions = RequestOptions & {
  /** Only passports whose display name contains this text. */
  keyword?: string | undefined
  /** Passports per page, up to 250. */
  perPage?: number | undefined
}

export type PageOptions = ListOptions & {
  /** Starts at 1. */
  page?: number | undefined
}

/** A client for the V1 passport API. */
export function createClient(options: ClientOptions) {
  const get = createTransport(options)

  function getPage({ page, perPage, keyword, signal }: PageOptions = {}): Promise<PassportPage> {
    const query = toQuery({ page, per_page: perPage, keyword })
    return get<PassportPage>(`/passports${query}`, 'passports', { signal })
  }

  return {
    passports: {
      /** All matches, best score first. Fetches pages as they are needed; the list may change in between. */
      async *list({
        perPage = 250,
        ...options
      }: ListOptions = {}): AsyncGenerator<ListedPassport, void, undefined> {
        for (let page = 1; ; page++) {
          const { passports, pagination } = await getPage({ ...options, perPage, page })
          yield* passports
          // Negated so that a missing last_page ends the loop too.
          if (!(page < pagination.last_page)) return
        }
      },
      page: getPage,
      /** Throws `not_found` if there is no such passport. */
      async get(idOrWallet: number | string, options: RequestOptions = {}): Promise<Passport> {
        const path = `/passports/${encodeURIComponent(checkRef(idOrWallet))}`
        return (await get<{ passport: Passport }>(path, 'passport', options)).passport
      },
    },
    credentials: {
      /** Best score first. Throws `not_found` if there is no such passport. */
      async list(idOrWallet: number | string, options: RequestOptions = {}): Promise<Credential[]> {
        const path = `/passport_credentials${toQuery({ passport_id: checkRef(idOrWallet) })}`
        const field = 'passport_credentials'
        return (await get<{ [field]: Credential[] }>(path, field, options))[field]
      },
    },
  }
}

export type Client = ReturnType<typeof createClient>

/** An empty reference would request the list instead. */
function checkRef(idOrWallet: number | string): string {
  const ref = String(idOrWallet).trim()
  if (ref === '') throw new TypeError('A passport id or wallet is required, got "".')
  return ref
}

function toQuery(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}
