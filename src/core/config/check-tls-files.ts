import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Returns the problems of two PEM files: a certificate and its private key. */
export function tlsProblems(cert: string, key: string): string[] {
  const problems: string[] = []
  function load<T>(name: string, path: string, wanted: string, parse: (pem: Buffer) => T): T | undefined {
    try {
      return parse(readFileSync(path))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const reason = code?.startsWith('E') && !code.startsWith('ERR_') ? code : `no ${wanted}`
      problems.push(`${name} must be a readable PEM file with a ${wanted}, got "${path}" (${reason}).`)
      return undefined
    }
  }
  const certificate = load('TLS_CERT', cert, 'certificate', (pem) => new X509Certificate(pem))
  const privateKey = load('TLS_KEY', key, 'private key', (pem) => createPrivateKey(pem))
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey))
    problems.push('TLS_KEY must be the private key of TLS_CERT.')
  return problems
}
