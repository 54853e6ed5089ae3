import { count, printable } from '../domain/text/counts-and-sizes.ts'
import type { Change, Checkmarks, LevelCount, RulesDiff } from '../scoring/rules-diff.ts'
import { formatTable } from './table.ts'

export function presentDiff(diff: RulesDiff) {
  const { passports, rise, fall, failed, histogram, largest, gained, lost, levels } = diff
  return {
    passports,
    rise,
    fall,
    stay: stayOf(diff),
    failed,
    histogram: Object.fromEntries(histogram),
    largest: largest.map(({ id, ...change }) => ({ passport_id: id, ...change })),
    human: { gained: gained.count, lost: lost.count, gained_ids: gained.ids, lost_ids: lost.ids },
    levels,
  }
}

export function describeDiff(diff: RulesDiff): string {
  const { passports, rise, fall, failed, histogram, largest, gained, lost, levels } = diff
  const verb = (value: number, singular: string) =>
    `${number(value)} ${value === 1 ? singular : singular.slice(0, -1)}`
  return [
    `${count(passports, 'passport')}: ${count(rise, 'score')} ${rise === 1 ? 'rises' : 'rise'}, ${verb(fall, 'falls')}, ${verb(stayOf(diff), 'stays')}.\n`,
    failed > 0 ? `${count(failed, 'passport')} cannot be scored.\n` : '',
    section(
      ['CHANGE', 'PASSPORTS'],
      [...histogram].map(([range, some]) => [range, number(some)]),
    ),
    section(['PASSPORT', 'BEFORE', 'AFTER', 'CHANGE', 'BECAUSE OF'], largest.map(toRow), 'Largest changes\n'),
    section(['LEVEL BEFORE', 'FROM', 'PASSPORTS'], levels.before.map(toLevelRow)),
    section(['LEVEL AFTER', 'FROM', 'PASSPORTS'], levels.after.map(toLevelRow)),
    `\nGain the human checkmark: ${describeMarks(gained)}\nLose the human checkmark: ${describeMarks(lost)}\n`,
  ].join('')
}

/** Returns a table below an empty line and its title, or an empty text if there are no rows. */
const section = (head: string[], rows: string[][], title = '') =>
  rows.length === 0 ? '' : `\n${title}${formatTable([head, ...rows])}`

const stayOf = ({ passports, rise, fall, failed }: RulesDiff) => passports - rise - fall - failed

const number = (value: number) => value.toLocaleString('en')

const toLevelRow = ({ name, from, passports }: LevelCount) => [printable(name), `${from}`, number(passports)]

const signed = (change: number) => `${change > 0 ? '+' : ''}${Math.round(change * 100) / 100}`

function toRow({ id, before, after, reasons }: Change): string[] {
  const causes = reasons.map((each) => `${each.type} ${signed(each.after - each.before)}`)
  // If no credential changed, a cap did.
  return [`${id}`, `${before}`, `${after}`, signed(after - before), causes.join(', ') || 'caps']
}

function describeMarks({ count: all, ids }: Checkmarks): string {
  if (all === 0) return '0'
  return `${number(all)} (${ids.join(', ')}${all > ids.length ? ', …' : ''})`
}
