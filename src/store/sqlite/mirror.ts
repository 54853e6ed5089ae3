import type { Database } from 'bun:sqlite'
import type { MirrorStore } from '../store.ts'

type MirroredRow = { passport_etag: string; credentials_etag: string; run: number }

export function createMirror({ reader, writer }: { reader: Database; writer: Database }) {
  const findRun = writer.query<{ run: number; ended: number }, [string]>(
    'select run, ended from mirror_runs where source = ?',
  )
  const setRun = writer.query('insert or replace into mirror_runs (source, run, ended) values (?, ?, ?)')
  const find = reader.query<MirroredRow, [string, number]>(
    'select passport_etag, credentials_etag, run from mirrored where source = ? and passport_id = ?',
  )
  const note = writer.query(
    `insert or replace into mirrored (source, passport_id, passport_etag, credentials_etag, run) values (?, ?, ?, ?, ?)`,
  )
  const listUnseen = reader.query<{ passport_id: number }, [string, number, number, number]>(
    `select passport_id from mirrored where source = ? and passport_id > ? and run between 1 and ? order by passport_id limit ?`,
  )
  const count = reader.query<{ count: number }, [string]>(
    'select count(*) as count from mirrored where source = ? and run > 0',
  )
  const listSources = reader.query<{ source: string }, []>('select source from mirror_runs order by source')

  const begin = writer.transaction((source: string) => {
    const last = findRun.get(source)
    if (last && last.ended === 0) return last.run
    const run = (last?.run ?? 0) + 1
    setRun.run(source, run, 0)
    return run
  })

  return {
    begin: (source) => begin.immediate(source),
    end(source) {
      setRun.run(source, findRun.get(source)?.run ?? 1, 1)
    },
    find(source, id) {
      const row = find.get(source, id)
      if (row === null) return undefined
      return { passportEtag: row.passport_etag, credentialsEtag: row.credentials_etag, run: row.run }
    },
    note(source, id, { passportEtag, credentialsEtag, run }) {
      note.run(source, id, passportEtag, credentialsEtag, run)
    },
    listUnseen: (source, run, afterId, limit) =>
      listUnseen.all(source, afterId, run - 1, limit).map((row) => row.passport_id),
    count: (source) => count.get(source)?.count ?? 0,
    listSources: () => listSources.all().map(({ source }) => source),
  } satisfies MirrorStore
}
