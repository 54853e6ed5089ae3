import type { Data } from '../../../src/core/store/data.ts'
import type { Store } from '../../../src/core/store/store.ts'

export { createDamage } from '../../../src/core/store/damage.ts'
export {
  type AnyData,
  createWriteAnswer,
  defineData,
  sendWrites,
  type WriteCall,
} from '../../../src/core/store/data.ts'
export { openPostgres } from '../../../src/core/store/database/postgres/open.ts'
export { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'
export { namePostgres, parseDatabaseAddress } from '../../../src/core/store/database-address.ts'
export { openStore, SERVE_TIMEOUT } from '../../../src/core/store/open.ts'
export { AUDIT } from '../../../src/core/store/sql/audit-log.ts'
export { SUBJECTS } from '../../../src/core/store/sql/passports.ts'
export { RULE_SETS } from '../../../src/core/store/sql/rules.ts'
export { SAVED_INDEX } from '../../../src/core/store/sql/saved-index.ts'
export { SEARCH } from '../../../src/core/store/sql/search.ts'
export { COPY_NOTE, IDENTITY } from '../../../src/core/store/sql/settings.ts'
export { listTables } from '../../../src/core/store/sql/tables.ts'
export { REMOVALS } from '../../../src/core/store/write/write-records.ts'

/** A store with other methods of a feature. */
export const withData = <S, Write extends keyof S>(
  store: Store,
  data: Data<S, Write>,
  replaced: Partial<S>,
): Store => ({
  ...store,
  data: (wanted, options) =>
    Object.is(wanted, data) ? { ...store.data(wanted, options), ...replaced } : store.data(wanted, options),
})
