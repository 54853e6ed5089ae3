import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../../core/basics/errors.ts'
import { replaceFile } from '../../core/basics/write-atomically.ts'
import { parseSigningKeys, rotateSigningKeys, writeSigningKeys } from '../../core/config/signing-keys.ts'
import { makeFolder } from '../../core/store/database/sqlite/connect.ts'
import type { DatabaseAddress } from '../../core/store/database-address.ts'

/** Throws `CommandError` if the file has no signing keys. The message must not contain its text. */
function readKeyFile(path: string) {
  const keys = parseSigningKeys(readFileSync(path, 'utf8'))
  if (!keys) throw new CommandError(`${path} is not a JWK Set with an Ed25519 key: name another file.`)
  return keys
}

/** Creates the file, or adds a new active key to it. Only its owner may read it. */
export function rotateKeyFile(path: string, now: number) {
  const keys = rotateSigningKeys(existsSync(path) ? readKeyFile(path) : undefined, now)
  replaceFile(path, writeSigningKeys(keys))
  return keys
}

/** The keys of the demo, in a file beside its database that is created at the first start. */
export function findDemoKeys(database: DatabaseAddress, now: number) {
  const folder = database.engine === 'sqlite' ? dirname(database.path) : 'data'
  const path = join(folder, 'demo-signing-keys.json')
  if (existsSync(path)) return readKeyFile(path)
  makeFolder(folder)
  return rotateKeyFile(path, now)
}
