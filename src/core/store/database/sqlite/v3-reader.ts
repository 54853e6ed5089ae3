import type { Database } from 'bun:sqlite'
import type { PassportKey } from '../../../passport/passport.ts'
import type { CredentialsRow } from '../../rows/credential.ts'
import {
  isVisible,
  LONGEST_CHAIN,
  MAX_READ_BYTES,
  MOST_CANDIDATES,
  MOST_OWNERS,
  SHOWN_COLUMNS,
  type ShownRow,
  toPassportV3,
} from '../../rows/passport.ts'
import type { FindOptions, KeyResult, Store } from '../../store.ts'
import type { ReadTransaction } from './connect.ts'

/** A call reads at most this many keys, because a read blocks the event loop. */
const KEYS_PER_READ = 50

/** `merges` is 1 if other passports are merged into this one. */
type FoundRow = ShownRow & { merges: number }

export function createV3Reader(reader: Database, transaction: ReadTransaction): Store['v3'] {
  const find = reader.query<FoundRow, [number]>(
    `select ${SHOWN_COLUMNS}, exists (select 1 from passports as other where other.merged_into = passports.id) as merges
     from passports where id = ?`,
  )
  const findOwner = reader.query<{ id: number }, [string]>(
    'select passport_id as id from wallets where address = ?',
  )
  const listOwners = reader.query<{ id: number }, [string, string]>(
    `select passport_id as id from handles where handle = ?1
     union select passport_id from wallets where address = ?2 order by id limit ${MOST_OWNERS + 1}`,
  )
  const listMerged = reader.query<{ id: number }, [number]>(
    'select id from passports where merged_into = ? and hidden_at is null',
  )
  const findCredentials = reader.query<CredentialsRow, [number]>(
    `select coalesce(data, '') as data, body from v1_credentials left join credentials using (passport_id)
     where passport_id = ?`,
  )

  function findSurvivor(id: number): FoundRow | undefined {
    let row = find.get(id)
    for (let hops = 0; row?.hidden_at === null && row.merged_into !== null && hops < LONGEST_CHAIN; hops++) {
      row = find.get(row.merged_into)
    }
    return row && isVisible(row) ? row : undefined
  }

  function mergedInto(id: number, hops = 0): number[] {
    const direct = listMerged.all(id).map((row) => row.id)
    if (direct.length === 0 || hops >= LONGEST_CHAIN) return direct
    return [...direct, ...direct.flatMap((merged) => mergedInto(merged, hops + 1))]
  }

  let bytes = 0

  function toResult(row: FoundRow, { credentials }: FindOptions): KeyResult {
    const listed = credentials ? (findCredentials.get(row.id) ?? { data: '', body: null }) : undefined
    bytes += row.bio.length + row.socials.length + row.tags.length + (listed?.body?.length ?? 0)
    return { passport: toPassportV3(row, row.merges ? mergedInto(row.id) : [], listed) }
  }

  function findOne(key: PassportKey, options: FindOptions): KeyResult {
    if (!('handle' in key)) {
      const id = 'id' in key ? key.id : findOwner.get(key.wallet)?.id
      const row = id === undefined ? undefined : findSurvivor(id)
      return row && toResult(row, options)
    }
    const owners = listOwners.all(key.handle, key.wallet)
    const rows = owners.flatMap(({ id }) => findSurvivor(id) ?? [])
    const survivors = new Map(rows.map((row) => [row.id, row]))
    if (survivors.size > 1 || owners.length > MOST_OWNERS) {
      return { candidates: [...survivors.keys()].sort((one, other) => one - other).slice(0, MOST_CANDIDATES) }
    }
    const [row] = survivors.values()
    return row && toResult(row, options)
  }

  return {
    find: (keys, options) =>
      transaction.read(() => {
        const results: KeyResult[] = []
        bytes = 0
        for (const key of keys.slice(0, KEYS_PER_READ)) {
          results.push(findOne(key, options))
          if (bytes > MAX_READ_BYTES) break
        }
        return results
      }),
  }
}
