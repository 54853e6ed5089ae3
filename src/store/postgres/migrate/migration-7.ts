import { toLaterText, toShownFields } from '../../../domain/record/later-fields.ts'
import type { Query } from '../connection/query.ts'

const STEP = 1000

/** The part of migration 7 that SQL cannot do: V2 shows the first image of the socials. */
export async function storeImages(query: Query): Promise<void> {
  for (let after: number | undefined = -1; after !== undefined; ) {
    const rows: { id: number; socials: string }[] = await query(
      `select id::float8 as id, socials from passports
       where id > $1 and socials ilike '%"imageUrl":"http%' order by id limit $2`,
      [after, STEP],
    )
    const shown = rows.map(({ id, socials }) => ({
      passport_id: id,
      later_fields: toLaterText(toShownFields({}, JSON.parse(socials))),
    }))
    await query(
      `update v1_passports set later_fields = shown.later_fields
       from json_populate_recordset(null::v1_passports, $1::text::json) as shown
       where v1_passports.passport_id = shown.passport_id`,
      [JSON.stringify(shown)],
    )
    after = rows.at(-1)?.id
  }
}
