/* Prints how many snapshots of a file have a valid signature, and how many after a change. */
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { createLocalJWKSet, errors, jwtVerify } from 'jose'

const { keys, snapshots, altered, now } = JSON.parse(readFileSync(argv[2], 'utf8'))
const set = createLocalJWKSet(keys)

async function isValid(snapshot) {
  try {
    const options = { algorithms: ['EdDSA'], typ: 'vc+jwt', currentDate: new Date(now) }
    const { payload, protectedHeader } = await jwtVerify(snapshot, set, options)
    return payload.iss === protectedHeader.kid.split('#')[0]
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return false
    throw error
  }
}

const count = async (all) => (await Promise.all(all.map(isValid))).filter(Boolean).length
process.stdout.write(`${JSON.stringify([await count(snapshots), await count(altered)])}\n`)
