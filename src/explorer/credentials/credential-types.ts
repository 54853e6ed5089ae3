import type { Rule, RuleSetShape } from '../../domain/rule-set.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { formatFigure } from '../design/format.ts'
import { equals } from '../search/ranking-query.ts'
import type { ExplorerOptions } from '../site/explorer-page.ts'

/** The rule of a folded type. */
export const ruleOf = ({ types }: RuleSetShape, type: string): Rule | undefined =>
  Object.entries(types).find(([name]) => foldName(name) === type)?.[1]

/** Holders of a type by total score: `limit` of them, every `step`-th. */
export const listHolders = (
  { catalog }: Pick<ExplorerOptions, 'catalog'>,
  type: string,
  { limit, step = 1 }: { limit: number; step?: number },
  signal: AbortSignal,
) =>
  catalog.list(
    {
      filter: [equals('type', type)],
      sort: { field: 'score', descending: true },
      limit,
      step,
      signal,
    },
    false,
  )

/** How a rule turns a value into points, in words. */
export function describeRule({ convert, multiplier, max_score, accounts, proves_human }: Rule): string[] {
  const most = formatFigure(max_score)
  return [
    `${CONVERSIONS[convert](multiplier, max_score)}, at most ${most}.`,
    accounts === 'sum'
      ? 'The values of several accounts are added up first.'
      : 'Of several accounts, the best one counts.',
    ...(proves_human ? ['It also marks the person as a verified human.'] : []),
  ]
}

const CONVERSIONS: Record<Rule['convert'], (multiplier: number, most: number) => string> = {
  none: (multiplier, most) =>
    multiplier >= most
      ? `${points(Math.min(multiplier, most))} for having it`
      : `${points(multiplier)} for each unit of the value`,
  sqrt: (multiplier) => `The square root of the value, times ${formatFigure(multiplier)}`,
  ln: (multiplier) => `The natural logarithm of the value, times ${formatFigure(multiplier)}`,
  years: (multiplier) => `${points(multiplier)} for each year since the date of the data point`,
}

const points = (number: number) => `${formatFigure(number)} ${number === 1 ? 'point' : 'points'}`
