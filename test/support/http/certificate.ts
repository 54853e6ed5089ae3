import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Writes a self-signed certificate for `name` to `cert.pem` in a folder, and its private key to `key.pem`. */
export function writeCertificate(folder: string, name: string): { TLS_CERT: string; TLS_KEY: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ])
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`)
  return { TLS_CERT: cert, TLS_KEY: key }
}
