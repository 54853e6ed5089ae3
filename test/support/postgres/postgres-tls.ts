import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guardedFolder, writeOwned } from './postgres-files.ts'

/** Self-signed for 127.0.0.1, valid until 2120. Not generated, because not every machine has OpenSSL. */
export const CERTIFICATE = join(import.meta.dir, 'postgres-tls.crt')
const KEY = join(import.meta.dir, 'postgres-tls.key')

/** Settings of a server with TLS. The user of the server must own the key file, and no other user may read it. */
export function tlsSettings(): Record<string, string> {
  const { path } = guardedFolder()
  const [certificate, key] = [join(path, 'tls.crt'), join(path, 'tls.key')]
  writeOwned(certificate, readFileSync(CERTIFICATE, 'utf8'))
  writeOwned(key, readFileSync(KEY, 'utf8'))
  chmodSync(key, 0o600)
  return { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }
}
