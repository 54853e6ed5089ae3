import { expect } from 'bun:test'
import { findById, presentV3, rulesOf, simplify } from './answers.ts'
import type { Moment } from './history.ts'
import type { Node } from './node.ts'
import { IDS } from './records.ts'
import type { Service, Stored } from './service.ts'

/** How many operations back the past is compared. */
const BACK = [1, 2, 5, 11]

/** Compares `as_of` and `diff` with some earlier moments. Returns the number of comparisons. */
export async function comparePast(
  service: Service,
  node: Node,
  moments: readonly Moment[],
  isChosen: () => boolean,
): Promise<number> {
  let count = 0
  for (const back of BACK.filter(isChosen)) {
    const at = moments.length - 1 - back
    const moment = moments[at]
    if (!moment) break
    // One passport per moment is enough: each one has its turn.
    const id = IDS[(moments.length + back) % IDS.length] as number
    const stored = findById(service, id)
    // The history of a passport begins when it was last added or shown again.
    const isKnown = stored && moments.slice(at).every(({ people }) => people.has(stored.id))
    const past = isKnown ? moment.people.get(stored.id) : undefined
    await compareAsOf(service, node, { id, stored, past, moment })
    await compareDiff(node, { id, stored, past, moment })
    count += 2
  }
  return count
}

type Case = { id: number; stored: Stored | undefined; past: Stored | undefined; moment: Moment }

const timeOf = ({ time }: Moment) => new Date(time).toISOString()

async function compareAsOf(service: Service, node: Node, { id, stored, past, moment }: Case) {
  const path = `/api/v3/passports/${id}?include=credentials&as_of=${timeOf(moment)}`
  const { status, body } = await node.request(path)
  if (!stored || !past) return expect({ path, status }).toEqual({ path, status: 404 })
  const { scores } = past
  const credentials = scores.credentials.map(({ from: _, value: __, ...credential }) => ({
    ...credential,
    earned_at: null,
  }))
  const current = presentV3(service, stored)
  const simple = simplify(body) as { credentials: { from: unknown; value: unknown }[] }
  expect({
    path,
    ...simple,
    credentials: simple.credentials?.map(({ from: _, value: __, ...rest }) => rest),
  } as unknown).toEqual({
    path,
    ...current,
    ...Object.fromEntries(PAST.map((field) => [field, scores[field]])),
    rules: rulesOf(past),
    calculating_score: false,
    credentials,
  })
}

const PAST = ['score', 'activity_score', 'identity_score', 'skills_score', 'human_checkmark'] as const

async function compareDiff(node: Node, { id, stored, past, moment }: Case) {
  const path = `/api/v3/passports/${id}/diff?from=${timeOf(moment)}`
  const { status, body } = await node.request(path)
  if (!stored) return expect({ path, status }).toEqual({ path, status: 404 })
  const score = [past?.scores.score ?? null, stored.scores.score] as const
  const sum = body.causes?.reduce((total: number, { delta }: { delta: number }) => total + delta, 0)
  expect({
    path,
    id: body.passport_id,
    score: body.score,
    sum: Math.round(sum * 100) / 100,
  } as unknown).toEqual({
    path,
    id: stored.id,
    score,
    sum: Math.round((stored.scores.score - (score[0] ?? 0)) * 100) / 100,
  })
}
