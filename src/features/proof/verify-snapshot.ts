// Verifies signed snapshots. The page /verify runs this file and its imports as one script, so they import only types.
import { canonicalJson } from '../../core/basics/canonical-json.ts'
import { roundScore, sumScores } from '../../core/passport/credential.ts'
import type { RawValue } from '../../core/passport/data-point.ts'
import type { Rule } from '../../core/passport/rules/rule-set.ts'
import { toPoints } from '../../core/scoring/points.ts'

type Verifier = {
  /** Returns the JWK Set of an issuer. */
  keys: (did: string) => unknown
  /** Returns a rule set by its stamp. Called only if the signature is valid. */
  rules: (stamp: string, did: string) => unknown
  now: number
}

/** `failure` is a name such as `expired`, and `checked` has a sentence for each check that passed. */
export type Verification = Report & { verdict: 'valid' | 'not valid'; failure?: string; message?: string }

type Report = { checked: string[]; lines: Line[] }
type Line = { type: string; category: string; points: number; formula: string }
type Named = Record<string, unknown>

// Examples. A received value must have the same members with values of the same types.
const INPUT = { type: '', kind: '', amount: 0 }
const GIVEN = { type: '', category: '', score: 0, max_score: 0 }
const RULE = { category: '', max_score: 0, convert: '', multiplier: 0, accounts: '', proves_human: true }
const SCORES = { activity_score: 0, identity_score: 0, skills_score: 0, score: 0 }
const FACTS = { id: '', passport_id: 0, calculated_at: 0, method: '', human_checkmark: true }
const NAMED = { rules: '', rules_digest: '' }
const SUBJECT = { ...FACTS, ...SCORES, inputs: [INPUT], record: { human: true, credentials: [GIVEN] } }

type Subject = typeof SUBJECT & typeof NAMED
type Rules = { types: Record<string, typeof RULE>; caps?: Record<string, number> }

const VC = 'https://www.w3.org/ns/credentials'

class Rejection extends Error {}

/** Does not throw for a wrong snapshot, but passes errors of `keys` and `rules` on. */
export async function verifySnapshot(jwt: string, verifier: Verifier): Promise<Verification> {
  const report: Report = { checked: [], lines: [] }
  try {
    await verify(jwt.trim().split('.'), verifier, report)
    return { verdict: 'valid', ...report }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return { verdict: 'not valid', failure: error.cause as string, message: error.message, ...report }
  }
}

/** The origin of a `did:web` without a path; `undefined` for another text. Loopback hosts use http. */
export function originOf(did: string): string | undefined {
  const host = /^did:web:((?:[\w.-]+|%5B(?:%3A|[\da-f])+%5D)(?:%3A\d+)?)$/.exec(did)?.[1]
  const isLoopback = /^(localhost|127\.[\d.]+|%5B%3A%3A1%5D)(%3A|$)/.test(host ?? '')
  return host && `${isLoopback ? 'http' : 'https'}://${decodeURIComponent(host)}`
}

async function verify(parts: readonly string[], { keys, rules, now }: Verifier, { checked, lines }: Report) {
  const [header = '', payload = '', signature = ''] = parts
  expect('not_a_jwt', 'The number of parts', parts.length, 3)
  const { did, kid } = readHeader(parseObject(header, 'header'))
  const bytes = toBytes(signature, 'signature')
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  if (!(await crypto.subtle.verify('Ed25519', await findKey(await keys(did), did, kid), bytes, signed)))
    reject('wrong_signature', 'It was changed after it was signed, or another key signed it.')
  checked.push(`The signature is by the key ${kid} of ${originOf(did)}.`)
  const claims = parseObject(payload, 'payload')
  checked.push(checkDates(claims, now))
  const subject = readSubject(claims, did)
  checked.push(`It is about passport ${subject.passport_id}: ${subject.id.replace('/api/v3', '')}.`)
  if (subject.method === 'rules') {
    const set = await readRules(await rules(subject.rules, did), subject.rules_digest)
    const name = NAME.test(subject.rules) ? subject.rules : show(subject.rules)
    checked.push(`The rule set ${name} is the one that the issuer signed.`)
    lines.push(...attempt(() => recalculate(subject, set)))
    checked.push(compareScores(subject, set, lines))
  } else checked.push(`The score ${subject.score} came with a record. It cannot be calculated again.`)
}

/** Names that need no quotes. */
const NAME = /^[\w.+-]{1,64}$/

function readHeader({ alg, typ, cty, crit, kid }: Named) {
  expect('wrong_algorithm', 'alg', alg, 'EdDSA')
  expect('wrong_type', 'typ', typ, 'vc+jwt')
  expect('wrong_content_type', 'cty', cty, 'vc')
  expect('unknown_extension', 'crit', crit, undefined)
  const [did = '', name = '', ...rest] = String(kid).split('#')
  // The name stands in a sentence without quotes, so it must not be a sentence.
  if (!NAME.test(name) || rest.length > 0 || !originOf(did))
    reject('wrong_key_id', `kid must be a did:web and the name of a key, got ${show(kid)}.`)
  return { did, kid: name }
}

async function findKey(set: unknown, did: string, kid: string): Promise<CryptoKey> {
  const listed = hasForm(set, { keys: [{ kid: '' }] }) ? set.keys : []
  const key = listed.find((jwk) => jwk.kid === kid || jwk.kid === `${did}#${kid}`)
  if (!key) reject('unknown_key', `The issuer has no key ${kid}.`)
  const { kty, crv, x } = key as JsonWebKey
  return crypto.subtle
    .importKey('jwk', { kty, crv, x } as JsonWebKey, 'Ed25519', false, ['verify'])
    .catch(({ name }) =>
      name === 'NotSupportedError'
        ? reject('no_ed25519', 'This browser is too old for Ed25519 keys.')
        : reject('wrong_key', `The key ${kid} is no Ed25519 key.`),
    )
}

function checkDates({ validFrom, validUntil, nbf, exp }: Named, now: number): string {
  const [from, until] = [Date.parse(String(validFrom)), Date.parse(String(validUntil))]
  expect('wrong_dates', 'nbf', nbf, from / 1000)
  expect('wrong_dates', 'exp', exp, until / 1000)
  // Written again, because parsers of dates ignore words in parentheses.
  const [begin, end] = [from, until].map((time) => new Date(time).toISOString())
  if (now < from) reject('not_yet_valid', `It is valid from ${begin}.`)
  if (now >= until) reject('expired', `It was valid until ${end}.`)
  return `It is valid from ${begin} until ${end}.`
}

function readSubject(claims: Named, did: string): Subject {
  const { '@context': context, iss, issuer, sub, type, credentialSubject: subject } = claims
  expect('wrong_context', '@context', show(context), show([`${VC}/v2`, `${VC}/undefined-terms/v2`]))
  expect('wrong_credential_type', 'type', show(type), show(['VerifiableCredential', 'PassportScore']))
  expect('wrong_issuer', 'iss', iss, did)
  expect('wrong_issuer', 'issuer', issuer, did)
  if (!hasForm(subject, SUBJECT)) reject('wrong_form', 'credentialSubject lacks a valid member.')
  expect('wrong_subject', 'sub', sub, subject.id)
  const path = `//${decodeURIComponent(did.slice(8))}/api/v3/passports/${subject.passport_id}`
  expect('wrong_subject', 'credentialSubject.id', subject.id.replace(/^https?:/, ''), path)
  // The score of a record names no rule set.
  expect('wrong_method', 'method', subject.method, hasForm(subject, NAMED) ? 'rules' : 'record')
  return subject as Subject
}

async function readRules(rules: unknown, wanted: string): Promise<Rules> {
  // The service adds the stamp and the digest to the contents.
  const { stamp: _, digest: __, ...set } = isObject(rules) ? rules : {}
  const text = attempt(() => canonicalJson(set))
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const digest = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
  expect('wrong_rules', 'The SHA-256 of the rule set', digest, wanted)
  return isObject(set.types) && hasForm(Object.values(set.types), [RULE]) ? (set as Rules) : rejectRules()
}

const rejectRules = () => reject('malformed_rules', 'The rule set has no valid rules for the inputs.')

function attempt<T>(run: () => T): T {
  try {
    return run()
  } catch {
    // Such as rules that are nested too deeply, an unknown conversion, or a date that is out of range.
    return rejectRules()
  }
}

/** The points of the record come first. Inputs replace the points of their type. */
function recalculate({ inputs, record, calculated_at: now }: Subject, { types }: Rules): Line[] {
  const counting = inputs.filter(({ type }) => Object.hasOwn(types, type))
  const ruled = Map.groupBy(counting, ({ type }) => type)
  const kept = record.credentials.filter(({ type }) => !ruled.has(type))
  const recorded = kept.map(({ type, category, score, max_score: most }) => {
    const points = roundScore(Math.min(score, most))
    return { type, category, points, formula: `${score} from the imported record, at most ${most}` }
  })
  const calculated = [...ruled].map(([type, own]) => {
    const rule = types[type] as typeof RULE
    const amount = own.reduce((sum, point) => (point.kind === 'date' ? sum : sum + point.amount), 0)
    const counted = rule.accounts === 'sum' && own.length > 1 ? [{ type, kind: 'number', amount }] : own
    const results = counted.map((point) => calculate(point, rule, now))
    return results.reduce((best, result) => (result.points > best.points ? result : best))
  })
  return [...recorded, ...calculated]
}

function calculate({ type, kind, amount }: typeof INPUT, rule: typeof RULE, now: number): Line {
  const raw = { kind, amount } as RawValue
  const { points, words } = toPoints({ raw, rule: rule as unknown as Rule, now })
  return { type, category: rule.category, points, formula: words }
}

function compareScores(subject: Subject, { types, caps }: Rules, lines: readonly Line[]): string {
  const sums = sumScores(
    lines.map(({ category, points }) => ({ category, score: points })),
    caps,
  )
  const { activity_score, identity_score, skills_score, score } = subject
  const parts = [sums.activity, sums.identity, sums.skills]
  expect('wrong_parts', 'The parts', show([activity_score, identity_score, skills_score]), show(parts))
  expect('wrong_score', 'score', score, sums.total)
  const proves = (type: string) => Object.hasOwn(types, type) && types[type]?.proves_human
  const isHuman = subject.record.human || lines.some(({ type, points }) => points > 0 && proves(type))
  expect('wrong_human', 'human_checkmark', subject.human_checkmark, isHuman)
  const words = `${sums.activity} Activity, ${sums.identity} Identity, ${sums.skills} Skills`
  const mark = isHuman ? '' : 'not '
  return `Calculated again, the score is ${sums.total} (${words}), and the person is ${mark}marked as human.`
}

function reject(failure: string, message: string): never {
  throw new Rejection(message, { cause: failure })
}

function expect(failure: string, name: string, received: unknown, wanted: unknown): void {
  if (received !== wanted) reject(failure, `${name} must be ${show(wanted)}, got ${show(received)}.`)
}

const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200)

function parseObject(text: string, name: string): Named {
  const decoded = new TextDecoder().decode(toBytes(text, name))
  try {
    const value: unknown = JSON.parse(decoded)
    if (isObject(value)) return value
  } catch {
    // The next line says so.
  }
  return reject('not_json', `The ${name} is not a JSON object.`)
}

/** Unused bits must be 0, so that nobody can write the same bytes in two ways. */
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/

function toBytes(text: string, name: string): Uint8Array<ArrayBuffer> {
  if (!BASE64URL.test(text)) reject('not_base64url', `The ${name} is not in base64url.`)
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

const isObject = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** All items of a list must have the form of the first item of the example. */
function hasForm<T>(value: unknown, example: T): value is T {
  if (Array.isArray(example)) return Array.isArray(value) && value.every((item) => hasForm(item, example[0]))
  if (!isObject(example)) return typeof value === typeof example
  return isObject(value) && Object.entries(example).every(([name, form]) => hasForm(value[name], form))
}
