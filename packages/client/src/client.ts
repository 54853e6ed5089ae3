import { type ClientOptions, createTransport, type RequestOptions, toQuery, toSegment } from './transport.ts'
import type { Credential, ListedPassport, Passport, PassportPage } from './types.ts'
import { createV3 } from './v3.ts'

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

/** A client for the passport API. `passports` and `credentials` use V1, `v3` uses v3. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options)

  function getPage({ page, perPage, keyword, signal }: PageOptions = {}): Promise<PassportPage> {
    const query = toQuery({ page, per_page: perPage, keyword })
    return transport.send<PassportPage>(`/v1/passports${query}`, 'passports', { signal })
  }

  return {
    passports: {
      /** Yields all matches, best score first. Fetches pages on demand; the list can change between pages. */
      async *list(options: ListOptions = {}): AsyncGenerator<ListedPassport, void, undefined> {
        const { perPage = 250 } = options
        for (let page = 1; ; page++) {
          const { passports, pagination } = await getPage({ ...options, perPage, page })
          yield* passports
          // The condition is negated, so that a missing last_page also ends the loop.
          if (!(page < pagination.last_page)) return
        }
      },
      page: getPage,
      /** Throws `not_found` if there is no such passport. */
      async get(idOrWallet: number | string, options: RequestOptions = {}): Promise<Passport> {
        const path = `/v1/passports/${toSegment(idOrWallet)}`
        return (await transport.send<{ passport: Passport }>(path, 'passport', options)).passport
      },
    },
    credentials: {
      /** Returns the credentials, best score first. Throws `not_found` if there is no such passport. */
      async list(idOrWallet: number | string, options: RequestOptions = {}): Promise<Credential[]> {
        const path = `/v1/passport_credentials?passport_id=${toSegment(idOrWallet)}`
        const field = 'passport_credentials'
        return (await transport.send<{ [field]: Credential[] }>(path, field, options))[field]
      },
    },
    v3: createV3(transport),
  }
}

export type Client = ReturnType<typeof createClient>
