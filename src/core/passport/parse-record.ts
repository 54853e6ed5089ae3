import { Compile, type Validator } from 'typebox/schema'
import { parseInstant } from '../basics/text/instant.ts'
import { quote } from '../basics/text/quote.ts'
import { stableId } from '../basics/text/stable-id.ts'
import { type Credential, roundScore } from './credential.ts'
import {
  type DataPoint,
  type PointName,
  type RawKind,
  type RawValue,
  toCredentialPoint,
} from './data-point.ts'
import { NO_SCORES, parsePassportRef, type Scores, type Social } from './passport.ts'
import type { IncomingRecord, PassportRecord } from './record.ts'
import { cleanText, instant, RecordError, wallet } from './record-fields.ts'
import {
  type CredentialLine,
  countUnknown,
  DataPointLine,
  MOST_ENTRIES,
  PassportLine,
  type PointLine,
  type ScoresLine,
  type SocialLine,
} from './record-format.ts'
import { findOversized } from './record-size.ts'
import { describeProblems } from './validation-problem.ts'

export type ParseOptions = {
  now: number
  /** Returns the kind of raw value that the rule of a type accepts; `undefined` if the type has no rule. */
  rawKindOf: (type: string) => RawKind | undefined
  /** Whether credentials whose type has a rule are scored again. */
  rescore: boolean
}

const passportLine = Compile(PassportLine)
const dataPointLine = Compile(DataPointLine)

/** Throws `RecordError`. */
export function parseRecord(value: unknown, options: ParseOptions, lineBytes?: number) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RecordError('', `must be an object, got ${quote(value)}`)
  }
  if ('passport_id' in value) {
    const line = validate<PassportLine>(passportLine, value)
    return {
      record: toPassportRecord(line, options, lineBytes),
      unknownFields: countUnknown(line, PassportLine),
    }
  }
  if ('passport' in value) {
    const line = validate<DataPointLine>(dataPointLine, value)
    return { record: toDataPointRecord(line), unknownFields: countUnknown(line, DataPointLine) }
  }
  throw new RecordError(
    '',
    'is neither a passport (passport_id is missing) nor a data point (passport is missing)',
  )
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Parses a line of a file. Throws `RecordError`. */
export function parseLine(bytes: Uint8Array, options: ParseOptions) {
  const { record, unknownFields } = parseRecord(parseJsonLine(bytes), options, bytes.length)
  return { record: record.kind === 'passport' ? { ...record, source: bytes } : record, unknownFields }
}

/** Throws `RecordError`. */
export function parseJsonLine(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    if (error instanceof TypeError) throw new RecordError('', 'is not UTF-8')
    throw new RecordError('', `is not JSON: ${(error as Error).message.replace('JSON Parse error: ', '')}`)
  }
}

function validate<T>(validator: Validator, value: unknown): T {
  if (validator.Check(value)) return value as T
  const [problem, ...others] = describeProblems(value, validator.Errors(cutLists(value))[1])
  throw new RecordError(problem?.field ?? '', problem?.reason ?? 'is not a record', others)
}

/** Cuts lists that are too long, because finding the errors of a million entries takes seconds. They stay too long. */
function cutLists(value: unknown, depth = 4): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES + 1).map((item) => cutLists(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutLists(inner, depth - 1)]))
}

function toPassportRecord(line: PassportLine, options: ParseOptions, lineBytes?: number): IncomingRecord {
  if (line.removed) return { kind: 'removal', id: line.passport_id }
  const passport = toPassport(line, options)
  const oversized = findOversized(passport, lineBytes)
  if (oversized) throw new RecordError(oversized.field, oversized.reason)
  return { kind: 'passport', passport }
}

function toPassport(line: PassportLine, options: ParseOptions): PassportRecord {
  const id = line.passport_id
  const scores = toScores(line)
  const calculatedAt = instant('last_calculated_at', line.last_calculated_at)
  const record: PassportRecord = {
    id,
    human: line.human_checkmark ?? false,
    connections: line.connections_count ?? 0,
    mainWallet: wallet('main_wallet', line.main_wallet) ?? '',
    verifiedWallets: [
      ...new Set(
        (line.verified_wallets ?? []).flatMap((text, at) => wallet(`verified_wallets.${at}`, text) ?? []),
      ),
    ],
    profile: {
      bio: cleanText(line.passport_profile?.bio),
      displayName: cleanText(line.passport_profile?.display_name) || cleanText(line.passport_profile?.name),
      location: cleanText(line.passport_profile?.location),
      tags: (line.passport_profile?.tags ?? []).map(cleanText).filter((tag) => tag !== ''),
    },
    socials: (line.passport_socials ?? []).map(toSocial),
  }
  const imageUrl = cleanText(line.image_url) || cleanText(line.passport_profile?.image_url)
  const mainWalletChangedAt = instant('main_wallet_changed_at', line.main_wallet_changed_at)
  // V2 shows the card of a passport without an image. The record has none.
  if (imageUrl !== '' && !imageUrl.endsWith(`/card/${record.id}.png`)) record.imageUrl = imageUrl
  if (mainWalletChangedAt !== undefined) record.mainWalletChangedAt = mainWalletChangedAt
  if (line.nominations_received_count != null) record.nominations = line.nominations_received_count
  if (scores) record.scores = scores
  if (line.human_in_record != null) record.givenHuman = line.human_in_record
  if (line.scores_in_record) record.givenScores = toScores(line.scores_in_record) ?? NO_SCORES
  if (line.calculating_score) record.stale = true
  if (calculatedAt !== undefined) record.calculatedAt = calculatedAt
  if (line.merged_into != null) record.mergedInto = line.merged_into
  if (line.rules) record.rules = cleanText(line.rules)
  if (line.data_points) record.dataPoints = toDataPoints(line.data_points)
  if (line.credentials) addCredentials(record, line, options)
  return record
}

/** A credential that needs a score becomes a data point if its type has a rule and its text can be parsed. */
function addCredentials(
  record: PassportRecord,
  { credentials: lines, last_calculated_at }: PassportLine,
  options: ParseOptions,
): void {
  const credentials: Credential[] = []
  const points: DataPoint[] = []
  const seen = new Set<string>()
  const calculated = { text: last_calculated_at, time: record.calculatedAt ?? options.now }
  lines?.forEach((line, at) => {
    const credential = toCredential(line, record.id, at, calculated)
    if (seen.has(credential.id))
      throw new RecordError(`credentials.${at}.id`, `appears twice: ${quote(credential.id)}`)
    seen.add(credential.id)
    const needsScore = options.rescore ? !line.derived : credential.lacksScore && !line.superseded
    const kind = needsScore ? options.rawKindOf(credential.type) : undefined
    const point = kind && toCredentialPoint(credential, kind)
    if (point) points.push(point)
    else credentials.push(credential)
  })
  record.credentials = credentials
  if (points.length > 0) record.credentialPoints = points
}

function toCredential(
  line: CredentialLine,
  passportId: number,
  at: number,
  calculated: { text: string | number | null | undefined; time: number },
): Credential {
  const field = (name: string) => `credentials.${at}.${name}`
  const recordScore = roundScore(line.score ?? 0)
  const maxScore = roundScore(line.max_score ?? recordScore)
  const earnedAt = instant(field('earned_at'), line.earned_at)
  // Fast path: most credentials have the same time as their passport.
  const isSameTime = line.last_calculated_at === calculated.text
  const calculatedAt = isSameTime ? undefined : instant(field('last_calculated_at'), line.last_calculated_at)
  return {
    id: cleanText(line.id) || stableId(`${passportId}:${cleanText(line.type)}:${at}`),
    type: cleanText(line.type),
    name: cleanText(line.name) || cleanText(line.type),
    category: cleanText(line.category),
    score: Math.min(recordScore, maxScore),
    maxScore,
    value: cleanText(line.value),
    ...(earnedAt !== undefined && { earnedAt }),
    calculatedAt: calculatedAt ?? calculated.time,
    ...(!line.derived && { givenScore: recordScore }),
    ...(!line.derived && line.score == null && { lacksScore: true }),
    ...(line.superseded && { superseded: true }),
    ...(line.derived && cleanText(line.issuer) !== '' && { issuer: cleanText(line.issuer) }),
  }
}

function toDataPointRecord(line: DataPointLine): IncomingRecord {
  const passport = parsePassportRef(String(line.passport).trim())
  if (!passport)
    throw new RecordError('passport', `must be a passport id or a wallet, got ${quote(line.passport)}`)
  const { value, withdrawn } = line
  if (withdrawn) return { kind: 'withdrawal', passport, point: toPointName(line) }
  if (value === undefined) throw new RecordError('value', 'is missing')
  return { kind: 'data-point', passport, point: toDataPoint({ ...line, value }, '') }
}

function toDataPoints(lines: readonly PointLine[]): DataPoint[] {
  const seen = new Set<string>()
  return lines.map((line, at) => {
    const { written_for: id } = line
    const point = { ...toDataPoint(line, `data_points.${at}.`), ...(id != null && { writtenFor: id }) }
    const key = JSON.stringify([point.type, point.account])
    if (seen.has(key))
      throw new RecordError(
        `data_points.${at}`,
        `appears twice: type ${quote(point.type)}, account ${quote(point.account)}`,
      )
    seen.add(key)
    return point
  })
}

function toDataPoint(line: PointLine, prefix: string): DataPoint {
  const earnedAt = instant(`${prefix}earned_at`, line.earned_at)
  const addedAt = instant(`${prefix}added_at`, line.added_at)
  return {
    ...toPointName(line),
    value: toRawValue(`${prefix}value`, line.value),
    display: cleanText(line.display),
    ...(earnedAt !== undefined && { earnedAt }),
    ...(addedAt !== undefined && { addedAt }),
  }
}

const toPointName = ({ type, account, issuer }: Omit<PointLine, 'value'>): PointName => ({
  type: cleanText(type),
  account: cleanText(account),
  ...(cleanText(issuer) !== '' && { issuer: cleanText(issuer) }),
})

function toRawValue(field: string, value: PointLine['value']): RawValue {
  if (typeof value === 'number') return { kind: 'number', amount: value + 0 }
  if (typeof value === 'boolean') return { kind: 'flag', amount: Number(value) }
  const date = parseInstant(value)
  if (date === undefined)
    throw new RecordError(field, `must be a number, true, false or a date, got ${quote(value)}`)
  return { kind: 'date', amount: date }
}

function toSocial(line: SocialLine): Social {
  return {
    source: cleanText(line.source),
    name: cleanText(line.profile_name),
    displayName: cleanText(line.profile_display_name),
    bio: cleanText(line.profile_bio),
    location: cleanText(line.location),
    url: cleanText(line.profile_url),
    imageUrl: cleanText(line.profile_image_url),
    followers: cleanText(line.follower_count),
    following: cleanText(line.following_count),
  }
}

/** `undefined` if the line has no score. */
function toScores({ score, activity_score, identity_score, skills_score }: ScoresLine): Scores | undefined {
  const parts = [activity_score, identity_score, skills_score]
  if (score == null && parts.every((part) => part == null)) return undefined
  const [activity = 0, identity = 0, skills = 0] = parts.map((part) => roundScore(part ?? 0))
  return { total: roundScore(score ?? activity + identity + skills), activity, identity, skills }
}
