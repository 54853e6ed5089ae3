import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { presentRecord } from '../src/ingest/export.ts'
import { COMMAND } from '../test/support/cli.ts'
import { manyPeople } from './many-people.ts'

export function writePeople(path: string, count: number): void {
  const out = openSync(path, 'w')
  let text = ''
  for (const person of manyPeople(count)) {
    text += `${JSON.stringify(presentRecord(person))}\n`
    if (text.length < 1_000_000) continue
    writeSync(out, text)
    text = ''
  }
  writeSync(out, text)
  closeSync(out)
}

export function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
}

/** Runs a command to its end. Includes the start of the process, as an operator's time does. */
export async function passportd(database: string, ...args: string[]) {
  const begin = performance.now()
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { DATABASE_URL: `sqlite:${database}` },
    stdin: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`passportd ${args[0]} failed`)
  return {
    seconds: (performance.now() - begin) / 1000,
    megabytes: (child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024,
  }
}
