import type { MirrorStore } from '../store.ts'
import type { Pool } from './connection/health-checked-pool.ts'

type MirroredRow = { passport_etag: string; credentials_etag: string; run: number }

export function createMirror({ query, transaction }: Pool): MirrorStore {
  return {
    begin: (source) =>
      transaction(async (query) => {
        // The row is created first: concurrent runs then wait for its lock.
        await query(
          'insert into mirror_runs (source, run, ended) values ($1, 0, 1) on conflict (source) do nothing',
          [source],
        )
        const [row] = await query<{ run: number }>(
          `update mirror_runs set run = run + ended, ended = 0 where source = $1 returning run`,
          [source],
        )
        return row?.run ?? 1
      }),
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
      const rows = await query<{ passport_id: number }>(
        `select passport_id::float8 as passport_id from mirrored
         where source = $1 and mirrored.passport_id > $2 and run between 1 and $3 order by mirrored.passport_id limit $4`,
        [source, afterId, run - 1, limit],
      )
      return rows.map((row) => row.passport_id)
    },
    async count(source) {
      const [row] = await query<{ count: number }>(
        'select count(*)::float8 as count from mirrored where source = $1 and run > 0',
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
