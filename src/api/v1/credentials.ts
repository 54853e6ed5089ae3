import { notFound } from '../../domain/errors.ts'
import { type PassportRef, parsePassportRef } from '../../domain/passport.ts'
import type { Store } from '../../store/store.ts'
import { json, ready } from '../answer.ts'
import { presentCredential } from './present.ts'

export function listCredentials(store: Store) {
  async function list(ref: PassportRef) {
    const passport = await store.passports.find(ref)
    if (!passport) throw notFound()
    const credentials = await store.credentials.list(passport.id)
    return json({ passport_credentials: credentials.map(presentCredential) })
  }
  return (text: string) => {
    const query = new URLSearchParams(text)
    const named = query.get('passport_id') ?? query.get('id') ?? ''
    if (named === '') return json({ passport_credentials: [] })
    const ref = parsePassportRef(named)
    if (!ref) throw notFound()
    const document = store.documents.findCredentials(ref)
    return document ? ready(document) : list(ref)
  }
}
