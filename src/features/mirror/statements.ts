import { defineData } from '../../core/store/data.ts'
import { findNumber, listColumn, upsertRows } from '../../core/store/sql/connection.ts'

/** The ETags of the passport and credentials responses, and the run that read them. A pruned passport has run 0. */
type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }

export const MIRROR = defineData({
  name: 'mirror',
  tables: ['mirror_runs', 'mirrored'],
  open: ({ write: query, transaction }) => ({
    /** Continues the unfinished run of this source, or begins a new one. */
    begin: (source: string) =>
      findNumber(
        query,
        `insert into mirror_runs (source, run, ended) values ($1, 1, 0)
         on conflict (source) do update set run = mirror_runs.run + mirror_runs.ended, ended = 0 returning run`,
        [source],
      ),
    async end(source: string): Promise<void> {
      await query('update mirror_runs set ended = 1 where source = $1', [source])
    },
    async find(source: string, id: number): Promise<Mirrored | undefined> {
      const [row] = await query<Mirrored>(
        `select passport_etag as "passportEtag", credentials_etag as "credentialsEtag", run from mirrored
         where source = $1 and passport_id = $2`,
        [source, id],
      )
      return row
    },
    note: (source: string, id: number, { passportEtag, credentialsEtag, run }: Mirrored): Promise<void> =>
      transaction((tx) => {
        const etags = { passport_etag: passportEtag, credentials_etag: credentialsEtag }
        return upsertRows(
          tx,
          'mirrored',
          ['source', 'passport_id'],
          [{ source, passport_id: id, ...etags, run }],
        )
      }),
    /** Passports that only earlier runs have seen, sorted by id. It and `count` leave out pruned passports. */
    listUnseen: (source: string, run: number, afterId: number, limit: number) =>
      listColumn<number>(
        query,
        `select passport_id from mirrored
         where source = $1 and passport_id > $2 and run between 1 and $3 order by passport_id limit $4`,
        [source, afterId, run - 1, limit],
      ),
    count: (source: string) =>
      findNumber(query, 'select count(*) from mirrored where source = $1 and run > 0', [source]),
    listSources: () => listColumn<string>(query, 'select source from mirror_runs order by source'),
  }),
})
