import { notFound } from '../../domain/errors.ts'
import { parseKeyword } from '../../domain/keyword.ts'
import { lastPage, parsePageRequest } from '../../domain/page.ts'
import { type FullPassport, parsePassportRef } from '../../domain/passport.ts'
import type { Store } from '../../store/store.ts'
import { json } from '../answer.ts'
import { presentListedPassport, presentPassport } from './present.ts'

export function listPassports(store: Store) {
  return async (query: URLSearchParams) => {
    const { page, size } = parsePageRequest(query.get('page'), query.get('per_page'))
    const { items, total } = await store.passports.list({
      page,
      size,
      keyword: parseKeyword(query.get('keyword')),
    })
    return json({
      passports: items.map(presentListedPassport),
      pagination: { current_page: page, last_page: lastPage(total, size), total },
    })
  }
}

export function getPassport(store: Store) {
  function present(passport: FullPassport | undefined) {
    if (!passport) throw notFound()
    return json(
      { passport: presentPassport(passport) },
      passport.merged ? { 'Content-Location': `/api/v1/passports/${passport.id}` } : undefined,
    )
  }
  return (text: string) => {
    const ref = parsePassportRef(text)
    const passport = ref && store.passports.find(ref)
    // Waiting for what is there already would cost a turn of the event loop.
    return passport instanceof Promise ? passport.then(present) : present(passport)
  }
}
