import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COUNTERS_BYTES } from '../api/counters.ts'
import type { createDoors } from './doors.ts'
import { startWorkers } from './workers.ts'

type Doors = ReturnType<typeof createDoors>
type Orders = Omit<Parameters<typeof startWorkers>[1], 'args'> & { demo: boolean }

/** Workers that share a port, and the memory in which they count. */
export function startCrew({ port, doors }: Doors, { demo, env, ...orders }: Orders) {
  const args = [...(demo ? ['--demo'] : []), '--counters', shareMemory()]
  return startWorkers(doors, { ...orders, args, env: { ...env, PORT: String(port) } })
}

/** Room for the counters of all workers, by a name that holds while this process lives: killed, it leaves no file behind. */
function shareMemory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passportd-'))
  try {
    const file = openSync(join(folder, 'counters'), 'wx+', 0o600)
    writeSync(file, new Uint8Array(COUNTERS_BYTES))
    return `/proc/${process.pid}/fd/${file}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}
