import { type ClientOptions, createTransport, type RequestOptions } from './transport.ts'
import type { Credential, ListedPassport, Passport, PassportPage } from './types.ts'

export type ListOptions = RequestOptions & {
  /** Passports whose display name contains it. */
  keyword?: string | undefined
  /** Passports of one page, up to 250. */
  perPage?: number | undefined
}

export type PageOptions = ListOptions & {
  /** From 1. */
  page?: number | undefined
}

/** A client for the V1 passport API. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options)

  function getPage({ page, perPage, keyword, signal }: PageOptions = {}): Promise<PassportPage> {
    const query = toQuery({ page, per_page: perPage, keyword })
    return transport.get<PassportPage>(`/passports${query}`, 'passports', { signal })
  }

  return {
    passports: {
      /** All that match, best score first; pages are fetched as they are needed. The list may change meanwhile. */
      async *list({
        perPage = 250,
        ...options
      }: ListOptions = {}): AsyncGenerator<ListedPassport, void, undefined> {
        for (let page = 1; ; page++) {
          const { passports, pagination } = await getPage({ ...options, perPage, page })
          yield* passports
          // Also where that is no number: there would be no end.
          if (!(page < pagination.last_page)) return
        }
      },
      page: getPage,
      /** Throws `not_found` where there is none. */
      async get(idOrWallet: number | string, options: RequestOptions = {}): Promise<Passport> {
        const path = `/passports/${encodeURIComponent(checkRef(idOrWallet))}`
        return (await transport.get<{ passport: Passport }>(path, 'passport', options)).passport
      },
    },
    credentials: {
      /** Best score first. Throws `not_found` where there is no such passport. */
      async list(idOrWallet: number | string, options: RequestOptions = {}): Promise<Credential[]> {
        const path = `/passport_credentials${toQuery({ passport_id: checkRef(idOrWallet) })}`
        const name = 'passport_credentials'
        return (await transport.get<{ [name]: Credential[] }>(path, name, options))[name]
      },
    },
  }
}

export type Client = ReturnType<typeof createClient>

function checkRef(idOrWallet: number | string): string {
  const text = String(idOrWallet).trim()
  // The service would answer with something else, and with nothing.
  if (text === '') throw new TypeError('The id or a wallet of a passport is needed, got "".')
  return text
}

function toQuery(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value))
  return `${query}` === '' ? '' : `?${query}`
}
