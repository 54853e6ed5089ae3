/** A process that makes documents in the file that it is given, until there is nothing left to do. */
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'

const [path = ''] = process.argv.slice(2)
const store = openSqlite(path)
while (store.documents.make(20, V1_PRESS) !== 0);
await store.close()
