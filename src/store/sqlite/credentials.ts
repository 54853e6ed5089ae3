import type { Database } from 'bun:sqlite'
import type { Credential } from '../../domain/credential.ts'

type CredentialRow = {
  id: string
  type: string
  name: string
  category: string
  score: number
  max_score: number
  value: string
  earned_at: number | null
  calculated_at: number
  given_score: number | null
  superseded: number
}

const COLUMNS =
  'id, type, name, category, score, max_score, value, earned_at, calculated_at, given_score, superseded'

export function createCredentialReader(reader: Database) {
  const list = reader.query<CredentialRow, [number]>(
    `select ${COLUMNS} from credentials where passport_id = ? and superseded = 0 order by score desc, name, id`,
  )
  const listAll = reader.query<CredentialRow, [number]>(
    `select ${COLUMNS} from credentials where passport_id = ? order by id`,
  )
  return {
    list: (passportId: number) => list.all(passportId).map(toCredential),
    /** With those that are not shown. */
    listAll: (passportId: number) => listAll.all(passportId).map(toCredential),
  }
}

export function createCredentialWriter(writer: Database) {
  const removeAll = writer.query('delete from credentials where passport_id = ?')
  const remove = writer.query('delete from credentials where passport_id = ? and id = ?')
  // Not "insert or replace": beside a full-text index in the same transaction that is several times slower.
  const insert = writer.query(
    `insert into credentials (passport_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  function write(passportId: number, credential: Credential): void {
    const { id, type, name, category, score, maxScore, value, earnedAt, calculatedAt, givenScore } =
      credential
    const [earned, given, hidden] = [
      earnedAt ?? null,
      givenScore ?? null,
      Number(credential.superseded ?? false),
    ]
    insert.run(
      passportId,
      id,
      type,
      name,
      category,
      score,
      maxScore,
      value,
      earned,
      calculatedAt,
      given,
      hidden,
    )
  }

  return {
    /** For a passport that has none. */
    insert(passportId: number, credentials: readonly Credential[]): void {
      for (const credential of credentials) write(passportId, credential)
    },
    replace(passportId: number, credentials: readonly Credential[]): void {
      removeAll.run(passportId)
      for (const credential of credentials) write(passportId, credential)
    },
    /** As `replace`, but touches only what differs from `before`. */
    update(passportId: number, before: readonly Credential[], after: readonly Credential[]): void {
      const old = new Map(before.map((credential) => [credential.id, credential]))
      for (const credential of after) {
        const before = old.get(credential.id)
        old.delete(credential.id)
        if (before && isSame(before, credential)) continue
        if (before) remove.run(passportId, credential.id)
        write(passportId, credential)
      }
      for (const id of old.keys()) remove.run(passportId, id)
    },
  }
}

function isSame(before: Credential, after: Credential): boolean {
  return (
    before.score === after.score &&
    before.maxScore === after.maxScore &&
    before.value === after.value &&
    before.name === after.name &&
    before.category === after.category &&
    before.earnedAt === after.earnedAt &&
    before.superseded === after.superseded
  )
}

function toCredential(row: CredentialRow): Credential {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    category: row.category,
    score: row.score,
    maxScore: row.max_score,
    value: row.value,
    ...(row.earned_at !== null && { earnedAt: row.earned_at }),
    calculatedAt: row.calculated_at,
    ...(row.given_score !== null && { givenScore: row.given_score }),
    ...(row.superseded === 1 && { superseded: true }),
  }
}
