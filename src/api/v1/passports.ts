import { notFound } from '../../domain/errors.ts'
import { parseKeyword } from '../../domain/keyword.ts'
import { type Page, parsePageRequest } from '../../domain/page.ts'
import { type FullPassport, type Passport, parsePassportRef } from '../../domain/passport.ts'
import type { Awaitable, IsGone, PassportDocument, Store } from '../../store/store.ts'
import { createTurns, type Steps } from '../../store/turns.ts'
import { type Answer, json, ready } from '../answer.ts'
import { printPage } from './list-page.ts'
import { createPageCache } from './page-cache.ts'
import { presentPassport } from './present.ts'

export function listPassports({ passports, documents }: Store) {
  const pages = createPageCache()
  const turns = createTurns()
  let large: Promise<unknown> = Promise.resolve()

  /** One at a time: each needs room several times over. */
  function printLarge(steps: Steps<Buffer | undefined>, isGone?: IsGone): Promise<Buffer | undefined> {
    const body = large.catch(() => undefined).then(() => turns.run(steps, isGone))
    large = body
    return body
  }

  return (text: string, isGone?: IsGone) => {
    const query = new URLSearchParams(text)
    const request = {
      ...parsePageRequest(query.get('page'), query.get('per_page')),
      keyword: parseKeyword(query.get('keyword')),
      isGone,
    }
    const isKept = request.keyword === undefined
    const name = `${request.page} ${request.size}`
    const known = isKept ? pages.find(passports.edition(), name) : undefined
    if (known) return known
    const print = (page: Page<Passport | PassportDocument>): Awaitable<Answer> => {
      // One that was waited for may be sent after many others were made.
      const steps = isKept ? printPage(page, request, pages.take) : printPage(page, request)
      const body = steps.next()
      return body.done ? finish(body.value) : printLarge(steps, isGone).then(finish)
    }
    const finish = (body: Buffer | undefined): Awaitable<Answer> => {
      // What is damaged is not listed again.
      if (!body) return read()
      const answer = ready(body)
      if (isKept) pages.keep(name, answer)
      return answer
    }
    const read = () => {
      const page = documents.list(request)
      // Waiting for what is there already would cost a turn of the event loop.
      return page instanceof Promise ? page.then(print) : print(page)
    }
    return read()
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
    if (!ref) throw notFound()
    const document = store.documents.findPassport(ref)
    if (document) return ready(document)
    const passport = store.passports.find(ref)
    return passport instanceof Promise ? passport.then(present) : present(passport)
  }
}
