import { notFound } from '../domain/errors.ts'
import { parsePassportRef } from '../domain/passport.ts'
import { html } from './html.ts'
import { renderLayout } from './layout.ts'
import { type ExplorerOptions, file, type PageHandler, POLICY } from './page.ts'

/** One passport: who it is, its score, and how that comes about. */
export function createPassportPage({ store }: ExplorerOptions): PageHandler {
  return async ({ path }) => {
    const ref = parsePassportRef(path.split('/')[2] ?? '')
    const passport = ref && (await store.passports.find(ref))
    if (!passport) throw notFound()
    const main = html`<h1>${passport.profile.displayName}</h1>`
    return file('text/html', renderLayout({ title: 'Passport', description: 'A passport', main }), POLICY)
  }
}
