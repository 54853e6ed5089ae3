import type { Database } from 'bun:sqlite'
import type { Credential } from '../../domain/credential.ts'
import type { Store } from '../store.ts'

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
}

const COLUMNS = 'id, type, name, category, score, max_score, value, earned_at, calculated_at'

export function createCredentialReader(reader: Database) {
  const list = reader.query<CredentialRow, [number]>(
    `select ${COLUMNS} from credentials where passport_id = ? order by score desc, name, id`,
  )
  return { list: (passportId) => list.all(passportId).map(toCredential) } satisfies Store['credentials']
}

export function createCredentialWriter(writer: Database) {
  const remove = writer.query('delete from credentials where passport_id = ?')
  const insert = writer.query(
    `insert into credentials (passport_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    replace(passportId: number, credentials: readonly Credential[]): void {
      remove.run(passportId)
      for (const {
        id,
        type,
        name,
        category,
        score,
        maxScore,
        value,
        earnedAt,
        calculatedAt,
      } of credentials) {
        insert.run(
          passportId,
          id,
          type,
          name,
          category,
          score,
          maxScore,
          value,
          earnedAt ?? null,
          calculatedAt,
        )
      }
    },
  }
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
  }
}
