import { expect } from 'bun:test'
import type { ShownCredential } from './scores.ts'
import { OPEN, type Service, type Stored } from './service.ts'

/** What is remembered of a moment: the scores of each passport that is neither removed nor hidden. */
export type Moment = { time: number; people: ReadonlyMap<number, Stored>; rules: string }

export function momentOf(service: Service, time: number): Moment {
  const visible = service.stored().filter(({ isHidden }) => !isHidden)
  return {
    time,
    people: new Map(visible.map((stored) => [stored.id, structuredClone(stored)])),
    rules: service.rules.version,
  }
}

type Cause = 'added' | 'gone' | 'record' | 'value' | 'rules' | 'time'
export type CredentialChange = { type: string; score: readonly [number | null, number | null]; cause: Cause }

/** What the events of an operation must say about a passport, all together. */
export type Change = {
  isAdded: boolean
  isRemoved: boolean
  score: readonly [number | null, number | null]
  fields: readonly string[]
  merged?: number
  unmerged?: number
  credentials: readonly CredentialChange[]
}

/** The changes between two moments, by passport. */
export function changesBetween(before: Moment, after: Moment): Map<number, Change> {
  const ids = new Set([...before.people.keys(), ...after.people.keys()])
  const changes = new Map<number, Change>()
  for (const id of ids) {
    const change = changeOf(before, after, id)
    if (change) changes.set(id, change)
  }
  return changes
}

function changeOf(before: Moment, after: Moment, id: number): Change | undefined {
  const [old, next] = [before.people.get(id), after.people.get(id)]
  const score = [old?.scores.score ?? null, next?.scores.score ?? null] as const
  const nothing = { isAdded: !old, isRemoved: !next, score, fields: [], credentials: [] }
  if (!old || !next) return nothing
  const fields = [
    ...fieldsOf(old, next),
    ...(isSurvivorChanged(before, after, id) ? ['merged_from'] : []),
  ].toSorted()
  const change: Change = {
    ...nothing,
    fields,
    ...(next.mergedInto !== undefined && next.mergedInto !== old.mergedInto && { merged: next.mergedInto }),
    ...(old.mergedInto !== undefined && next.mergedInto === undefined && { unmerged: old.mergedInto }),
    credentials: credentialChanges(old, next),
  }
  const isNothing = score[0] === score[1] && fields.length + change.credentials.length === 0
  return isNothing && change.merged === undefined && change.unmerged === undefined ? undefined : change
}

/** Whether the response of a passport names other merged passports. A merged passport has no response of its own. */
const isSurvivorChanged = (before: Moment, after: Moment, id: number) =>
  !isMerged(before, id) &&
  !isMerged(after, id) &&
  !Bun.deepEquals(mergedFrom(before, id), mergedFrom(after, id))

export const isMerged = ({ people }: Moment, id: number) => people.get(id)?.mergedInto !== undefined

/** All passports that were merged into this one, also through others. */
const mergedFrom = (moment: Moment, id: number): number[] => {
  const merged = [...moment.people.values()].filter((stored) => stored.mergedInto === id)
  return merged
    .flatMap((stored) => [stored.id, ...mergedFrom(moment, stored.id)])
    .toSorted((one, other) => one - other)
}

const FIELDS: Record<string, (stored: Stored) => unknown> = {
  main_wallet: ({ record }) => record.main_wallet,
  verified_wallets: ({ record }) => record.verified_wallets,
  'passport_profile.display_name': ({ record }) => record.passport_profile.display_name,
  'passport_profile.location': ({ record }) => record.passport_profile.location,
  'passport_profile.tags': ({ record }) => record.passport_profile.tags,
  passport_socials: ({ record }) => record.passport_socials,
}

const fieldsOf = (old: Stored, next: Stored) =>
  Object.keys(FIELDS).filter((field) => !Bun.deepEquals(FIELDS[field]?.(old), FIELDS[field]?.(next)))

function credentialChanges(old: Stored, next: Stored): CredentialChange[] {
  const find = (all: readonly ShownCredential[], like: ShownCredential) =>
    all.find(({ id, type }) => id === like.id && type === like.type)
  const gone = old.scores.credentials.filter((each) => !find(next.scores.credentials, each))
  const changes = next.scores.credentials.flatMap((credential): CredentialChange[] => {
    const last = find(old.scores.credentials, credential)
    const score = [last?.score ?? null, credential.score] as const
    const { type } = credential
    if (!last) return [{ type, score, cause: 'added' }]
    if (last.score === credential.score) return []
    if (credential.from === 'record') return [{ type, score, cause: 'record' }]
    return [{ type, score, cause: causeByRule(old, next, last) }]
  })
  const ends = gone.map(({ type, score }) => ({
    type,
    score: [score, null] as const,
    cause: 'gone' as const,
  }))
  return [...changes, ...ends].toSorted(byText)
}

/** No rule set has a rule whose points grow with time. */
function causeByRule(old: Stored, { byEarlier, scores }: Stored, last: ShownCredential): Cause {
  if (byEarlier === OPEN) return VALUE_OR_RULES
  const isEarlier = (credential: ShownCredential) => Bun.deepEquals(credential, last)
  return old.scores.rules !== scores.rules && byEarlier?.some(isEarlier) ? 'rules' : 'value'
}

const VALUE_OR_RULES = expect.stringMatching(/^(value|rules)$/) as unknown as Cause

export const byText = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
