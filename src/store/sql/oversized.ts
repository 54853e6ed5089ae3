import { MAX_BYTES, MAX_CREDENTIALS_BYTES, MAX_LIST_ITEM_BYTES } from '../../domain/record/record-limits.ts'

/** Further ones are not reported. */
export const MOST_OVERSIZED = 100

/** A stored passport that is larger than an import accepts. */
export type Oversized = { id: number; bytes: number }

/** The members around the socials. */
const SOCIALS_BYTES = MAX_BYTES.passport_socials + 100

const larger = (column: string, table: string, most: number) =>
  `select passport_id, octet_length(${column}) as bytes from ${table} where octet_length(${column}) > ${most}`

/** SQL for `Oversized` rows, largest first, on either engine. */
export const OVERSIZED = `select cast(passport_id as double precision) as id, cast(sum(bytes) as double precision) as bytes
  from (${larger('fields', 'v1_passports', MAX_LIST_ITEM_BYTES)}
    union all ${larger('more_fields', 'v1_passports', SOCIALS_BYTES)}
    union all ${larger('body', 'v1_credentials', MAX_CREDENTIALS_BYTES)}) as larger
  group by passport_id order by 2 desc, 1 limit ${MOST_OVERSIZED + 1}`
