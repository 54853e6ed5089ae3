import { type Base, defineData } from '../../core/store/data.ts'
import { findNumber, listColumn, type Query } from '../../core/store/sql/connection.ts'
import type { Mirrored, MirrorStore } from './store.ts'

export const MIRROR = defineData({
  name: 'mirror',
  tables: ['mirror_runs', 'mirrored'],
  open: ({ database }: Base) => createMirror(database.write),
})

function createMirror(query: Query): MirrorStore {
  return {
    begin: (source) =>
      findNumber(
        query,
        `insert into mirror_runs (source, run, ended) values ($1, 1, 0)
         on conflict (source) do update set run = mirror_runs.run + mirror_runs.ended, ended = 0 returning run`,
        [source],
      ),
    async end(source) {
      await query('update mirror_runs set ended = 1 where source = $1', [source])
    },
    async find(source, id) {
      const [row] = await query<Mirrored>(
        `select passport_etag as "passportEtag", credentials_etag as "credentialsEtag", run from mirrored
         where source = $1 and passport_id = $2`,
        [source, id],
      )
      return row
    },
    async note(source, id, { passportEtag, credentialsEtag, run }) {
      await query(
        `insert into mirrored (source, passport_id, passport_etag, credentials_etag, run) values ($1, $2, $3, $4, $5)
         on conflict (source, passport_id) do update set passport_etag = excluded.passport_etag,
           credentials_etag = excluded.credentials_etag, run = excluded.run`,
        [source, id, passportEtag, credentialsEtag, run],
      )
    },
    listUnseen: (source, run, afterId, limit) =>
      listColumn<number>(
        query,
        `select cast(passport_id as double precision) as id from mirrored
         where source = $1 and passport_id > $2 and run between 1 and $3 order by passport_id limit $4`,
        [source, afterId, run - 1, limit],
      ),
    count: (source) =>
      findNumber(
        query,
        'select cast(count(*) as double precision) as count from mirrored where source = $1 and run > 0',
        [source],
      ),
    listSources: () => listColumn<string>(query, 'select source from mirror_runs order by source'),
  }
}
