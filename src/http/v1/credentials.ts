import { notFound } from '../../domain/errors.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import type { Store } from '../../store/store.ts'
import { json } from '../answer.ts'
import { presentCredential } from './present.ts'

export function listCredentials(store: Store) {
  return async (query: URLSearchParams) => {
    const text = query.get('passport_id') ?? query.get('id') ?? ''
    if (text === '') return json({ passport_credentials: [] })
    const ref = parsePassportRef(text)
    const passport = ref && (await store.passports.find(ref))
    if (!passport) throw notFound()
    const credentials = await store.credentials.list(passport.id)
    return json({ passport_credentials: credentials.map(presentCredential) })
  }
}
