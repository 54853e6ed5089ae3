import { rankOf } from '../../catalog/score-distribution.ts'
import type { Snapshot } from '../../catalog/snapshot.ts'
import type { Explanation } from '../../domain/explanation.ts'
import { type Fields, pick } from '../../domain/v3/fields.ts'
import type { PassportKey } from '../../domain/v3/key.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { presentExplanation, presentPassport } from '../../domain/v3/present.ts'
import type { WireStanding } from '../../domain/v3/schemas.ts'
import type { Context } from '../request.ts'

/** A passport as JSON, or the ids of several ones that have the handle, or nothing. */
export type RenderedResult = { passport: PassportV3; json: string } | { candidates: number[] } | undefined

/** Passports that are rendered in one turn of the event loop. */
const PER_TURN = 50

/** The results of the first keys, at least one, in order: the store bounds the size of a read. */
export async function readPassports(
  context: Context,
  keys: readonly PassportKey[],
  { includes, selection }: Fields,
): Promise<RenderedResult[]> {
  const found = await context.store.v3.find(keys, { credentials: includes.has('credentials') })
  const snapshot = includes.has('standing') ? await context.catalog.current() : undefined
  const explanations = includes.has('explanation') ? await explain(context, found) : undefined
  const render = (passport: PassportV3): string => {
    const explanation = explanations?.get(passport.id)
    const wire = presentPassport(passport, {
      standing: snapshot && presentStanding(snapshot, passport),
      explanation: explanation && presentExplanation(explanation),
    })
    return JSON.stringify(selection ? pick(wire, selection) : wire)
  }
  const rendered: RenderedResult[] = []
  for (const result of found) {
    if (rendered.length > 0 && rendered.length % PER_TURN === 0) await context.takeTurn()
    rendered.push(
      result && 'passport' in result ? { passport: result.passport, json: render(result.passport) } : result,
    )
  }
  return rendered
}

type Found = Awaited<ReturnType<Context['store']['v3']['find']>>

async function explain(context: Context, found: Found): Promise<ReadonlyMap<number, Explanation>> {
  const passports = found.flatMap((result) => (result && 'passport' in result ? [result.passport] : []))
  return passports.length === 0 ? new Map() : context.explainAll(passports)
}

function presentStanding(snapshot: Snapshot, { scores }: PassportV3): WireStanding {
  const { rank, below, total } = rankOf(snapshot, scores.total)
  // Rounded down: 100 would be above everyone.
  return { rank, of: total, percentile: total === 0 ? 0 : Math.floor((below / total) * 1000) / 10 }
}
