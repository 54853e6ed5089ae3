import { rotateSigningKeys } from '../../../src/core/config/signing-keys.ts'
import type { Credential } from '../../../src/core/passport/credential.ts'
import { NO_SCORES } from '../../../src/core/passport/passport.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { score } from '../../../src/core/scoring/score.ts'
import type { RuleSet } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { toSnapshot } from '../../../src/features/proof/signed-snapshot.ts'
import { type ServerOptions, serveRecords, type serveTest } from '../http/server.ts'
import { credential, dataPoint, NOON, record, social } from '../store/records.ts'
import { adoptRules, scoreNow, scorerOf } from '../store/scoring.ts'

export { parseSigningKeys, rotateSigningKeys, signJwt } from '../../../src/core/config/signing-keys.ts'
export { verifySnapshot } from '../../../src/features/proof/verify-snapshot.ts'

export const KEYS = rotateSigningKeys(undefined, NOON)

export const AS_SNAPSHOT = { headers: { Accept: 'application/vc+jwt' } }

export type Payload = ReturnType<typeof toSnapshot>

export const payloadOf = (jwt: string): Payload =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/** The signed snapshots of these passports. */
export async function listSnapshots(
  { get }: Pick<ReturnType<typeof serveTest>, 'get'>,
  ids: readonly number[],
): Promise<string[]> {
  const snapshots: string[] = []
  for (const id of ids) {
    const { status, text } = await get(`/api/v3/passports/${id}`, AS_SNAPSHOT)
    if (status !== 200) throw new Error(`Passport ${id}: ${text}`)
    snapshots.push(text)
  }
  return snapshots
}

/** Calculates the scores of a snapshot again, with nothing but its payload and the rule set. */
export function recompute({ credentialSubject: given }: Payload, rules: RuleSet) {
  const { scores, human } = score(
    {
      id: given.passport_id,
      dataPoints: given.inputs.map(({ type, ...value }) => ({ type, account: '', value, display: '' })),
      recordCredentials: given.record.credentials.map(
        ({ type, category, score, max_score }, at): Credential => ({
          ...{ id: `${at}`, type, name: type, category, score, givenScore: score, maxScore: max_score },
          ...{ value: '', calculatedAt: 0 },
        }),
      ),
      givenHuman: given.record.human,
      givenScores: NO_SCORES,
    },
    rules,
    given.calculated_at,
  )
  return { ...scores, human }
}

/** The scores that a snapshot claims. */
export const claimOf = ({ credentialSubject: given }: Payload) => ({
  total: given.score,
  activity: given.activity_score,
  identity: given.identity_score,
  skills: given.skills_score,
  human: given.human_checkmark,
})

export const PUBLIC_URL = 'https://passports.example:8443'

export const SIGNED = { signing: KEYS, publicUrl: PUBLIC_URL }

export const zoe = record(1, {
  stale: true,
  profile: { displayName: 'Zoe Lantern' },
  mainWallet: '0xabc',
  credentials: [credential('c-1', { type: 'kite', category: 'Skills', score: 9, maxScore: 4.5 })],
  dataPoints: [dataPoint('base_builder', 9, 'zoe.eth', 'nine contracts')],
  socials: [social('lens', 'zoe')],
})

/** A server that signs, whose passports are scored by the built-in rules. */
export async function serveScored(
  options: ServerOptions = SIGNED,
  records: readonly PassportRecord[] = [zoe],
) {
  const server = await serveRecords(options, records)
  await adoptRules(scorerOf(server.store))
  await scoreNow(server.store)
  return server
}
