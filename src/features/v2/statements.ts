import { defineData } from '../../core/store/data.ts'
import { createBodies } from '../v1/statements.ts'
import { presentItemV2, presentPassportV2 } from './present.ts'

export const V2_BODIES = defineData({
  name: 'v2',
  open: (database) =>
    createBodies(database, presentPassportV2, presentItemV2, {
      passport: ', given',
      item: ', given, socials',
    }),
})
