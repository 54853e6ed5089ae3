import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIND } from '../src/store/postgres/passports.ts'
import { CONNECTIONS } from './measure.ts'

/** Writes a script for pgbench: the select of our read by id, with a random one. */
export function writeSelect(folder: string, passports: number): string {
  const path = join(folder, 'by-id.sql')
  writeFileSync(path, `\\set id random(1, ${passports})\n${FIND.replace(/\s+/g, ' ')} id = :id;\n`)
  return path
}

/** Transactions a second. */
export async function pgbench(url: string, script: string, seconds: number): Promise<number> {
  const args = ['-n', '-M', 'prepared', '-c', `${CONNECTIONS}`, '-j', '2', '-T', `${seconds}`]
  const text = await Bun.$`pgbench ${args} -f ${script} ${url}`.text()
  return Number(/tps = ([\d.]+)/.exec(text)?.[1])
}
