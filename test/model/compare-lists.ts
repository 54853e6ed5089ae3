import { expect } from 'bun:test'
import { simplify, standingOf } from './answers.ts'
import { FILTERS, GROUPS, groupsOf, LIMIT, listAll, SORTS } from './lists.ts'
import type { Node } from './node.ts'
import type { Service } from './service.ts'

/** Compares lists of v3 by filter, order and group, all pages of each. Returns the number of comparisons. */
export async function compareLists(
  service: Service,
  node: Node,
  cursor: string,
  isChosen: () => boolean,
): Promise<number> {
  const lists: [query: string, items: unknown][] = [
    ...FILTERS.map(([filter, matches]): [string, unknown] => [
      `filter=${encodeURIComponent(filter)}`,
      listAll(service, matches),
    ]),
    ...Object.entries(SORTS).map(([sort, by]): [string, unknown] => [
      `sort=${sort}`,
      listAll(service, undefined, by),
    ]),
    [
      'q=ann',
      listAll(service, ({ record }) => record.passport_profile.display_name.toLowerCase().includes('ann')),
    ],
    ['sort=score', listAll(service).toReversed()],
  ]
  const compareList = async ([query, items]: (typeof lists)[number]) => {
    const pages = await readPages(node, `${query}&after=${cursor}`)
    expect({ query, ...pages }).toEqual({ query, items, total: (items as unknown[]).length } as never)
  }
  /** The ranks in a list are those among the passports of its filter, also if it has a keyword. */
  const compareStandings = async () => {
    const people = service.listed().filter(({ scores }) => scores.human_checkmark)
    const ranked = people.map((stored) => {
      const rank = 1 + people.filter(({ scores }) => scores.skills_score > stored.scores.skills_score).length
      const standing = { ...standingOf(service, stored), list: { rank, of: people.length } }
      return { stored, item: { passport_id: stored.id, standing } }
    })
    const named = ranked
      .filter(({ stored }) => stored.record.passport_profile.display_name.includes('nn'))
      .toSorted(({ stored: one }, { stored: other }) => other.scores.skills_score - one.scores.skills_score)
    const query = 'q=nn&filter=human:true&sort=-skills_score&include=standing&select=passport_id'
    const { body } = await node.request(`/api/v3/passports?${query}&after=${cursor}`)
    expect(body.items).toEqual(named.map(({ item }) => item) as never)
  }
  const compareGroups = async () => {
    const fields = Object.keys(GROUPS)
    const { body } = await node.request(`/api/v3/passports?limit=1&group_by=${fields}&after=${cursor}`)
    const { groups, total, more_groups } = body
    expect({ groups, total, more_groups }).toEqual({
      groups: fields.flatMap((field) => groupsOf(service, field)),
      total: service.listed().length,
      more_groups: 0,
    } as never)
  }
  const compared = await Promise.all([
    ...lists.filter(isChosen).map(compareList),
    ...[compareGroups, compareStandings].filter(isChosen).map((compare) => compare()),
  ])
  return compared.length
}

async function readPages(node: Node, query: string) {
  const items: unknown[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await node.request(`/api/v3/passports?limit=${LIMIT}&${query}${cursor}`)
    expect({ query, status, body: status === 200 ? '' : body }).toEqual({ query, status: 200, body: '' })
    items.push(...(simplify(body.items) as unknown[]))
    if (body.next === null) return { items, total: body.total }
    cursor = `&cursor=${body.next}`
  }
}
