import Type from 'typebox'
import { closed, describedObject } from '../../core/basics/schema-helpers.ts'
import { Credential, ListedPassport, Passport } from '../../core/passport/wire-schemas.ts'

export const Pagination = describedObject('The position of a page in the list', {
  current_page: Type.Integer({ minimum: 1, description: 'As requested, also past the last page' }),
  last_page: Type.Integer({ minimum: 1, description: '1 if nothing matches' }),
  total: Type.Integer({ minimum: 0, description: 'Number of matching passports on all pages' }),
})

export const PassportListBody = closed({ passports: Type.Array(ListedPassport), pagination: Pagination })

export const PassportBody = closed({ passport: Passport })

export const CredentialListBody = closed({ passport_credentials: Type.Array(Credential) })
