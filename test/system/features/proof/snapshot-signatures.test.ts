import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveTest } from '../../../support/http/server.ts'
import { findProgram, hasPrograms } from '../../../support/programs.ts'
import { fillWithRandomPeople } from '../../../support/proof/random-people.ts'
import { listSnapshots, SIGNED } from '../../../support/proof/snapshots.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { NOON } from '../../../support/store/records.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/** Changes one character in the middle of the payload. */
function alter(jwt: string): string {
  const at = jwt.indexOf('.') + 400
  return jwt.slice(0, at) + (jwt[at] === 'A' ? 'B' : 'A') + jwt.slice(at + 1)
}

test.if(hasPrograms('python3-jwcrypto'))(
  'jose in Node and jwcrypto in Python verify 1,000 snapshots, and refuse each of them after a change',
  async () => {
    using folder = tempFolder()
    await using store = await openTestStore('sqlite')
    const ids = await fillWithRandomPeople(store)
    await using server = serveTest(store, SIGNED)
    const { body: keys } = await server.get('/.well-known/jwks.json')
    const snapshots = await listSnapshots(server, ids)
    const file = join(folder.path, 'snapshots.json')
    writeFileSync(file, JSON.stringify({ keys, snapshots, altered: snapshots.map(alter), now: NOON }))
    const results = [
      ['node', 'verify-with-jose.mjs'],
      [findProgram('python3-jwcrypto') as string, 'verify_with_jwcrypto.py'],
    ].map(([program = '', script = '']) => {
      const { stdout, stderr } = Bun.spawnSync([program, join(import.meta.dir, script), file])
      return stdout.toString() || stderr.toString()
    })
    expect(results.map((text) => text.trim().replace(' ', ''))).toEqual(['[1000,0]', '[1000,0]'])
  },
)
