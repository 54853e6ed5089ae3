import { findActiveRules } from '../../core/scoring/stamped-rule-set.ts'
import { defineData } from '../../core/store/data.ts'
import type { Database } from '../../core/store/sql/connection.ts'
import { createRules } from '../../core/store/sql/rules.ts'
import { createRecords } from '../../core/store/write/write-records.ts'
import type { SentRecords } from './save-sent-records.ts'

/** Parses and saves the records of a request. The validator loads slowly, so the first call loads it. */
export const RECORD_WRITES = defineData({
  name: 'records',
  writes: ['save'],
  open(database: Database) {
    const [records, rules] = [createRecords(database), createRules(database)]
    return {
      async save(sent: SentRecords) {
        const { saveSentRecords } = await import('./save-sent-records.ts')
        return saveSentRecords({ records }, await findActiveRules(rules), sent)
      },
    }
  },
})
