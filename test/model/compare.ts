import { expect } from 'bun:test'
import {
  type Answer,
  findByHandle,
  findById,
  findByWallet,
  simplify,
  v3Passport,
  v3Standing,
} from './answers.ts'
import { compareEvents, readEvents } from './compare-events.ts'
import { compareLists } from './compare-lists.ts'
import { comparePast } from './compare-past.ts'
import { FROZEN_VERSIONS } from './frozen-versions.ts'
import { type Moment, momentOf } from './history.ts'
import type { Node } from './node.ts'
import type { Question } from './question.ts'
import { HANDLES, IDS, WALLETS } from './records.ts'
import type { Service, Stored } from './service.ts'

/** What a run of operations remembers. */
export type Run = { moments: Moment[]; cursor: string; comparisons: number }

export async function beginRun(service: Service, node: Node): Promise<Run> {
  const { next } = await readEvents(node, '')
  return { moments: [momentOf(service, node.now())], cursor: next, comparisons: 0 }
}

/**
 * Compares all answers of all versions, and the new events, when all scores are calculated. With `isChosen`, compares the
 * new events, the passports that they are about, and of everything else what it chooses.
 */
export async function compareAll(
  service: Service,
  node: Node,
  run: Run,
  isChosen = () => true,
): Promise<void> {
  const { events, next } = await readEvents(node, run.cursor)
  const moment = momentOf(service, node.now())
  const moments = [...run.moments, moment]
  const changed = compareEvents(run.moments.at(-1) as Moment, moment, events)
  const paths = ofPassports(service).filter(([, , id]) => (id && changed.has(id)) || isChosen())
  const pages = [...ofPages(service), ...ofStandings(service)].filter(isChosen)
  const counts = await Promise.all([
    ...paths.map(([path, answer]) => comparePath(node, path, answer)),
    // These may be a second old.
    ...pages.map(([path, answer]) => node.patiently(() => comparePath(node, path, answer))),
    compareLists(service, node, next, isChosen),
    comparePast(service, node, moments, isChosen),
  ])
  const comparisons = counts.reduce((sum, count) => sum + count, run.comparisons + changed.size + 1)
  Object.assign(run, { moments, cursor: next, comparisons })
}

/** Compares frozen versions while scores wait for their calculation: the old scores and credentials are shown. */
export async function compareWaiting(service: Service, node: Node, { moments }: Run): Promise<void> {
  for (const id of IDS) {
    const stored = findById(service, id)
    // A new passport has no old scores.
    const isOld = stored && moments.at(-1)?.people.has(stored.id)
    if (!isOld || !service.isStale(stored.id)) continue
    for (const [path, answer] of FROZEN_VERSIONS.flatMap((version) =>
      version.ofPassport(service, `${id}`, stored),
    ))
      await comparePath(node, path, answer)
  }
}

async function comparePath(node: Node, path: string, { status, body }: Answer): Promise<number> {
  const reply = await node.request(path)
  const expected = { path, status, ...(body !== undefined && { body }) }
  const actual = { path, status: reply.status, ...(body !== undefined && { body: simplify(reply.body) }) }
  if (status === 409) expect(actual).toMatchObject(expected)
  else expect(actual).toEqual(expected)
  return 1
}

function ofPassports(service: Service): Question[] {
  const byKey = (key: string, stored: Stored | undefined, id?: number): Question[] => [
    ...FROZEN_VERSIONS.flatMap((version) => version.ofPassport(service, key, stored)).map(
      ([path, answer]): Question => [path, answer, id],
    ),
    [
      `/api/v3/passports/${key}?include=credentials,explanation`,
      v3Passport(service, stored ? [stored] : []),
      id,
    ],
  ]
  return [
    ...IDS.flatMap((id) => byKey(String(id), findById(service, id), id)),
    ...WALLETS.flatMap((wallet) => byKey(wallet, findByWallet(service, wallet))),
    ...HANDLES.map(
      (handle): Question => [
        `/api/v3/passports/${handle}?include=credentials,explanation`,
        v3Passport(service, findByHandle(service, handle)),
      ],
    ),
  ]
}

const ofStandings = (service: Service) =>
  IDS.map((id): Question => {
    const stored = findById(service, id)
    return [`/api/v3/passports/${id}?select=standing`, stored ? v3Standing(service, stored) : { status: 404 }]
  })

const ofPages = (service: Service) => FROZEN_VERSIONS.flatMap((version) => version.ofPages(service))
