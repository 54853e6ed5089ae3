import { openSqlite } from '../../src/core/store/database/sqlite/open.ts'
import { saveRecords } from '../../test/support/store/engines.ts'
import { INVENTED } from '../../test/support/store/json-lines.ts'

/** The arguments of `serve` for the demo people. The short form saves only 60 of them, in advance. */
export async function demoArgs(path: string, isShort: boolean): Promise<string[]> {
  if (!isShort) return ['--demo']
  const store = await openSqlite(path)
  await saveRecords(store, INVENTED.slice(0, 60))
  await store.database.close()
  return []
}
