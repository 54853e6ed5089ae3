import type { ExplainedPassport } from '../../core/passport/rules/explanation.ts'

const VC = 'https://www.w3.org/ns/credentials'
const HOUR = 3_600_000
const LIFETIME = 30 * 24 * HOUR

type Options = { origin: string; did: string; rulesDigest: string | null; now: number }

/**
 * The payload of a signed snapshot (W3C Verifiable Credential 2.0). It has all that is needed to calculate the score
 * again, but no name, account or wallet. Within an hour, the payload of an unchanged passport stays the same.
 */
export function toSnapshot(explained: ExplainedPassport, { origin, did, rulesDigest, now }: Options) {
  const { passport, method, rules, event } = explained
  const from = Math.floor(now / HOUR) * HOUR
  const until = from + LIFETIME
  const subject = `${origin}/api/v3/passports/${passport.id}`
  return {
    '@context': [`${VC}/v2`, `${VC}/undefined-terms/v2`],
    type: ['VerifiableCredential', 'PassportScore'],
    issuer: did,
    iss: did,
    validFrom: new Date(from).toISOString(),
    validUntil: new Date(until).toISOString(),
    nbf: from / 1000,
    exp: until / 1000,
    sub: subject,
    credentialSubject: {
      id: subject,
      passport_id: passport.id,
      score: passport.scores.total,
      activity_score: passport.scores.activity,
      identity_score: passport.scores.identity,
      skills_score: passport.scores.skills,
      human_checkmark: passport.human,
      calculated_at: passport.calculatedAt,
      method,
      rules,
      rules_digest: rulesDigest,
      ...toInputs(explained),
      event,
    },
  }
}

/** The order of the inputs is that of the calculation: sums of fractions depend on it. */
function toInputs({ lines, givenHuman }: ExplainedPassport) {
  const counting = lines
    .filter(({ from }) => from === 'rule')
    .flatMap(({ type, accounts }) => accounts.map((account) => ({ type, ...account })))
    .filter(({ obstacle }) => obstacle === undefined)
  const credentials = lines
    .filter(({ from }) => from === 'record')
    .map(({ type, category, score, givenScore = score, maxScore }) => ({
      type,
      category,
      score: givenScore,
      max_score: maxScore,
    }))
  return {
    inputs: counting.map(({ type, raw: { kind, amount } }) => ({ type, kind, amount })),
    record: { human: givenHuman, credentials },
  }
}
