import type { Database } from 'bun:sqlite'
import { toLaterText, toShownFields } from '../../../domain/record/later-fields.ts'

/** The part of migration 12 that SQL cannot do: V2 shows the first image of the socials. */
export function storeImages(database: Database): void {
  const put = database.query('update v1_passports set later_fields = ? where passport_id = ?')
  const list = database.query<{ id: number; socials: string }, []>(
    `select id, socials from passports where socials like '%"imageUrl":"http%'`,
  )
  for (const { id, socials } of list.iterate()) {
    put.run(toLaterText(toShownFields({}, JSON.parse(socials))), id)
  }
}
