import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import type { FrozenVersion } from '../../support/frozen/frozen-version.ts'

export const V2: FrozenVersion = {
  async readBodies(store, ref) {
    const passport = await store.data(V2_BODIES).findPassport(ref)
    const ids = passport ? [passport.id] : 'id' in ref ? [ref.id] : []
    return {
      'V2 passport': passport?.body,
      'V2 item': (await store.data(V2_BODIES).listItems(ids))[0],
    }
  },
  paths: (key) => [
    `/api/v2/passports/${key}`,
    `/api/v2/passports/${key}/credentials`,
    `/api/v2/passport_credentials?passport_id=${key}`,
    `/api/v2/human_checkmark?id=${key}`,
  ],
  indexedReads: [],
}
