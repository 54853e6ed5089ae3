import { expect } from 'bun:test'
import {
  type Answer,
  findByHandle,
  findById,
  findByWallet,
  pageOf,
  simplify,
  v1Credentials,
  v1Passport,
  v2Human,
  v2Passport,
  v3Passport,
} from './answers.ts'
import { compareEvents, readEvents } from './compare-events.ts'
import { compareLists } from './compare-lists.ts'
import { comparePast } from './compare-past.ts'
import { type Moment, momentOf } from './history.ts'
import type { Node } from './node.ts'
import { HANDLES, IDS, WALLETS } from './operations.ts'
import type { Service, Stored } from './service.ts'

/** What a run of operations remembers. */
export type Run = { moments: Moment[]; cursor: string; comparisons: number }

export async function beginRun(service: Service, node: Node): Promise<Run> {
  const { next } = await readEvents(node, '')
  return { moments: [momentOf(service, node.now())], cursor: next, comparisons: 0 }
}

/** Compares all answers of all versions, and the new events, when all scores are calculated. */
export async function compareAll(service: Service, node: Node, run: Run): Promise<void> {
  const { events, next } = await readEvents(node, run.cursor)
  const moment = momentOf(service, node.now())
  run.comparisons += compareEvents(run.moments.at(-1) as Moment, moment, events)
  run.cursor = next
  run.moments.push(moment)
  for (const [path, answer] of [...ofPassports(service), ...ofPages(service)]) {
    await comparePath(node, path, answer)
    run.comparisons++
  }
  run.comparisons += await compareLists(service, node, next)
  run.comparisons += await comparePast(service, node, run.moments)
}
async function comparePath(node: Node, path: string, { status, body }: Answer) {
  const reply = await node.request(path)
  const expected = { path, status, ...(body !== undefined && { body }) }
  const actual = { path, status: reply.status, ...(body !== undefined && { body: simplify(reply.body) }) }
  if (status === 409) expect(actual).toMatchObject(expected)
  else expect(actual).toEqual(expected)
}

type Question = [path: string, answer: Answer]

function ofPassports(service: Service): Question[] {
  const byKey = (key: string, stored: Stored | undefined): Question[] => [
    [`/api/v1/passports/${key}`, v1Passport(service, stored)],
    [`/api/v1/passport_credentials?passport_id=${key}`, v1Credentials(stored)],
    [`/api/v2/passports/${key}`, v2Passport(service, stored)],
    [
      `/api/v3/passports/${key}?include=credentials,standing,explanation`,
      v3Passport(service, stored ? [stored] : []),
    ],
  ]
  return [
    ...IDS.flatMap((id) => byKey(String(id), findById(service, id))),
    ...WALLETS.flatMap((wallet) => byKey(wallet, findByWallet(service, wallet))),
    ...HANDLES.map(
      (handle): Question => [
        `/api/v3/passports/${handle}?include=credentials,standing,explanation`,
        v3Passport(service, findByHandle(service, handle)),
      ],
    ),
    ...IDS.map((id): Question => [`/api/v2/human_checkmark?id=${id}`, v2Human(findById(service, id))]),
  ]
}

function ofPages(service: Service): Question[] {
  return [1, 2, 3].flatMap((page): Question[] => [
    [`/api/v1/passports?page=${page}&per_page=3`, pageOf(service, 'v1', page, 3)],
    [`/api/v2/passports?page=${page}&per_page=3`, pageOf(service, 'v2', page, 3)],
    [`/api/v1/passports?page=${page}&per_page=1&keyword=ann`, pageOf(service, 'v1', page, 1, 'ann')],
  ])
}
