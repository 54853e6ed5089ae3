import { CREDENTIAL_BODIES, V1_BODIES } from '../../../src/features/v1/statements.ts'
import type { FrozenVersion } from '../../support/frozen/frozen-version.ts'

export const V1: FrozenVersion = {
  async readBodies(store, ref) {
    const passport = await store.data(V1_BODIES).findPassport(ref)
    const ids = passport ? [passport.id] : 'id' in ref ? [ref.id] : []
    return {
      'V1 passport': passport?.body,
      'V1 item': (await store.data(V1_BODIES).listItems(ids))[0],
      'V1 credentials': await store.data(CREDENTIAL_BODIES).find(ref),
    }
  },
  paths: (key) => [`/api/v1/passports/${key}`, `/api/v1/passport_credentials?passport_id=${key}`],
  indexedReads: [
    ['a response by id', (store) => store.data(V1_BODIES).findPassport({ id: 77 }), 'passports_pkey'],
    [
      'a response by wallet',
      (store) => store.data(V1_BODIES).findPassport({ wallet: '0x77' }),
      'passports_pkey',
    ],
    ['the survivor of a merge', (store) => store.data(V1_BODIES).findPassport({ id: 51 }), 'passports_pkey'],
    ['a page of the list', (store) => store.data(V1_BODIES).listItems([77, 78, 79]), 'passports_pkey'],
    ['the credentials of one', (store) => store.data(CREDENTIAL_BODIES).find({ id: 77 }), 'credentials_pkey'],
  ],
}
