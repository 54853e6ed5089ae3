import { notFound } from '../../domain/errors.ts'
import { parseKeyword } from '../../domain/keyword.ts'
import { lastPage, type Page, type PageRequest, parsePageRequest } from '../../domain/page.ts'
import { type FullPassport, type Passport, parsePassportRef } from '../../domain/passport.ts'
import type { Store } from '../../store/store.ts'
import { json, ready } from '../answer.ts'
import { createPageCache } from './page-cache.ts'
import { presentListedPassport, presentPassport } from './present.ts'

export function listPassports({ passports }: Store) {
  const pages = createPageCache()

  return (text: string) => {
    const query = new URLSearchParams(text)
    const request = parsePageRequest(query.get('page'), query.get('per_page'))
    const keyword = parseKeyword(query.get('keyword'))
    const name = `${request.page} ${request.size}`
    const known = keyword === undefined ? pages.find(passports.edition(), name) : undefined
    if (known) return known
    const page = passports.list({ ...request, keyword })
    // Waiting for what is there already would cost a turn of the event loop.
    if (page instanceof Promise) return page.then((late) => json(presentPage(late, request)))
    const body = Buffer.from(JSON.stringify(presentPage(page, request)))
    const answer = ready(body)
    if (keyword === undefined) pages.keep(name, answer)
    return answer
  }
}

const presentPage = ({ items, total }: Page<Passport>, { page, size }: PageRequest) => ({
  passports: items.map(presentListedPassport),
  pagination: { current_page: page, last_page: lastPage(total, size), total },
})

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
    if (!ref) throw notFound()
    const document = store.documents.findPassport(ref)
    if (document) return ready(document)
    const passport = store.passports.find(ref)
    return passport instanceof Promise ? passport.then(present) : present(passport)
  }
}
