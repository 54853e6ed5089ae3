import type { MirrorStore } from '../store.ts'
import type { Query } from './connection.ts'

type MirroredRow = { passport_etag: string; credentials_etag: string; run: number }

export function createMirror(query: Query): MirrorStore {
  return {
    async begin(source) {
      const [row] = await query<{ run: number }>(
        `insert into mirror_runs (source, run, ended) values ($1, 1, 0)
         on conflict (source) do update set run = mirror_runs.run + mirror_runs.ended, ended = 0 returning run`,
        [source],
      )
      return row?.run ?? 1
    },
    async end(source) {
      await query('update mirror_runs set ended = 1 where source = $1', [source])
    },
    async find(source, id) {
      const [row] = await query<MirroredRow>(
        'select passport_etag, credentials_etag, run from mirrored where source = $1 and passport_id = $2',
        [source, id],
      )
      return row && { passportEtag: row.passport_etag, credentialsEtag: row.credentials_etag, run: row.run }
    },
    async note(source, id, { passportEtag, credentialsEtag, run }) {
      await query(
        `insert into mirrored (source, passport_id, passport_etag, credentials_etag, run) values ($1, $2, $3, $4, $5)
         on conflict (source, passport_id) do update set passport_etag = excluded.passport_etag,
           credentials_etag = excluded.credentials_etag, run = excluded.run`,
        [source, id, passportEtag, credentialsEtag, run],
      )
    },
    async listUnseen(source, run, afterId, limit) {
      const rows = await query<{ id: number }>(
        `select cast(passport_id as double precision) as id from mirrored
         where source = $1 and passport_id > $2 and run between 1 and $3 order by passport_id limit $4`,
        [source, afterId, run - 1, limit],
      )
      return rows.map(({ id }) => id)
    },
    async count(source) {
      const [row] = await query<{ count: number }>(
        'select cast(count(*) as double precision) as count from mirrored where source = $1 and run > 0',
        [source],
      )
      return row?.count ?? 0
    },
    async listSources() {
      const rows = await query<{ source: string }>('select source from mirror_runs order by source')
      return rows.map(({ source }) => source)
    },
  }
}
