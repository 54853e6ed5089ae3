import { CommandError } from '../../core/basics/errors.ts'
import { printable } from '../../core/basics/text/quote.ts'
import { defineCommand } from '../../core/cli/command.ts'
import { formatTable } from '../../core/cli/table.ts'
import { hidePassword } from '../../core/store/database-address.ts'
import { verifyLog } from './verify-log.ts'
import { originOf, verifySnapshot } from './verify-snapshot.ts'

const LARGEST_BYTES = 8 * 1024 * 1024
const HEADINGS = ['TYPE', 'CATEGORY', 'POINTS', 'CALCULATION']
const TIMEOUT_MILLISECONDS = 10_000

export const verify = defineCommand({
  name: 'verify',
  summary: 'check a signed score, or the event log of a service, without a database',
  description: `Checks the signature and the dates of a snapshot, and calculates its score again: docs/proof.md. The
    exit code is 1 if the snapshot is not valid. By default, the keys and the rule set come from the issuer, over
    https (over http from this machine).

    --log reads all events of the service at URL and computes the head of their hash chain. It must be the head
    that the service names and, if it signs, has signed. Needs a key with the scopes read and events.

    --head also compares with the head that an earlier run stored in FILE, and then stores the new one. Only a stored
    head shows that events were rewritten. A difference ends the command with code 1, and FILE stays as it is.`,
  options: {
    log: { placeholder: 'URL', about: 'base URL of the service' },
    head: { placeholder: 'FILE', about: 'JSON file with the last head; created if it does not exist' },
    key: { placeholder: 'KEY', about: 'sent as X-API-KEY; MIRROR_KEY hides it from the process list' },
    keys: { placeholder: 'FILE|URL', about: 'the public keys of the issuer, a JWK Set' },
    rules: { placeholder: 'FILE|URL', about: 'the rule set that the snapshot names' },
  },
  forms: [
    { args: 'FILE', options: ['keys', 'rules'], about: '- reads standard input' },
    { required: ['log'], options: ['head', 'key'] },
  ],
  examples: [
    'passportd verify score.jwt',
    'passportd verify score.jwt --keys jwks.json --rules rules.json',
    'passportd verify --log https://passports.example.com --head head.json',
  ],
  async run({ values, args: [file = ''] }, terminal) {
    if (values.log !== undefined) return verifyLog(terminal, values)
    const { now, out } = terminal
    const jwt = await readInput(file)
    const { failure, message, checked, lines } = await verifySnapshot(jwt, {
      keys: (did) => readJson(values.keys ?? `${originOf(did)}/.well-known/jwks.json`),
      rules: (stamp, did) =>
        readJson(values.rules ?? `${originOf(did)}/api/v3/rules/${encodeURIComponent(stamp)}`),
      now: now(),
    })
    for (const sentence of checked) out(`${printable(sentence)}\n`)
    const rows = lines.map(({ type, category, points, formula }) => [type, category, `${points}`, formula])
    if (rows.length > 0) out(`\n${formatTable([HEADINGS, ...rows].map((row) => row.map(printable)))}\n`)
    if (failure !== undefined)
      throw new CommandError(`The snapshot is not valid (${failure}): ${printable(message ?? '')}`)
    out('The snapshot is valid.\n')
  },
})

async function readJson(source: string): Promise<unknown> {
  const text = await readInput(source)
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${source} is not JSON.`)
  }
}

/** Reads a file or a URL. Redirects are not followed, because they could lead to another host. */
async function readInput(source: string): Promise<string> {
  const isUrl = /^https?:/.test(source)
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
  const chunks: Uint8Array[] = []
  let left = LARGEST_BYTES
  try {
    const file = new Response(source === '-' ? Bun.stdin : Bun.file(source))
    const { status, body } = isUrl ? await fetch(source, { redirect: 'manual', signal }) : file
    if (status !== 200) throw new Error(`the status is ${status}`)
    for await (const chunk of body ?? []) {
      left -= chunk.length
      if (left < 0) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } catch (error) {
    const advice = isUrl ? ' Save it, and name the file with --keys or --rules.' : ''
    throw new CommandError(
      `${isUrl ? hidePassword(source) : source} cannot be read: ${(error as Error).message}.${advice}`,
    )
  }
}
