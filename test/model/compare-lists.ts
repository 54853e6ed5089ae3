import { expect } from 'bun:test'
import { simplify } from './answers.ts'
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
  const compareGroups = async (field: string) => {
    const { body } = await node.request(`/api/v3/passports?limit=1&group_by=${field}&after=${cursor}`)
    const { groups, total, more_groups } = body
    const expected = {
      field,
      groups: groupsOf(service, field),
      total: service.listed().length,
      more_groups: 0,
    }
    expect({ field, groups, total, more_groups }).toEqual(expected as never)
  }
  const compared = await Promise.all([
    ...lists.filter(isChosen).map(compareList),
    ...Object.keys(GROUPS).filter(isChosen).map(compareGroups),
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
