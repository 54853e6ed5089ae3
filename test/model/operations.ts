import fc from 'fast-check'
import type { Issuer, Line, Outcome } from './facts.ts'
import { KEYS, type KeyName } from './keys.ts'
import type { Node } from './node.ts'
import { someId, someLines, somePoints } from './records.ts'
import { RULE_SETS } from './rule-sets.ts'
import type { Service } from './service.ts'

/*
 * Situations with known faults, which are not generated until these faults are corrected. The model has the right behaviour.
 *
 * AVOID_RECORDED_SCORES: a record gives scores without credentials, or credentials are replaced by none. The score of
 *   the record and the calculated score share a column, so a second calculation loses the first.
 * AVOID_RECORD_WITHOUT_CREDENTIALS: such a record is about a passport with credentials. The scores stay, but `rules`
 *   becomes null, as if the record had given them.
 * AVOID_WALLETS_IN_MERGES: a record gives merged passports the same wallet. The docs do not say who has it after an unmerge.
 */

/** What can happen to the service. */
type Kind<T> = {
  weight: number
  arbitrary: fc.Arbitrary<T>
  isPossible(service: Service, operation: T): boolean
  /** Changes the model, and returns what the service must answer: outcomes of records, or the status. */
  model(service: Service, operation: T, now: number): unknown
  send(node: Node, operation: T): Promise<unknown>
}

const kind = <T>(given: Kind<T>) => given

/** Whether no line is in a situation that is avoided. */
const canSave = (service: Service, all: readonly Line[]) =>
  all.every((each) => {
    const of = 'passport' in each ? each.passport : each.passport_id
    const isInMerge = service.survivorOf(of) !== of || service.mergedFrom(of).length > 0
    if (isInMerge && hasSharedWallet(each)) return false // AVOID_WALLETS_IN_MERGES
    // AVOID_RECORD_WITHOUT_CREDENTIALS
    return 'passport' in each || each.credentials !== undefined || !hasCredentials(service, all, of)
  })

const hasSharedWallet = (line: Line) => /0xb/i.test(JSON.stringify(line))

const hasCredentials = (service: Service, lines: readonly Line[], id: number) =>
  (service.has(id) && service.passport(id).record.credentials.length > 0) ||
  lines.some((line) => 'passport_id' in line && line.passport_id === id && line.credentials !== undefined)

const countOf = (outcomes: readonly Outcome[]) => ({
  added: outcomes.filter((each) => each === 'added').length,
  changed: outcomes.filter((each) => each === 'changed').length,
  unchanged: outcomes.filter((each) => each === 'unchanged').length,
  removed: outcomes.filter((each) => each === 'removed').length,
})

const write = kind({
  weight: 10,
  arbitrary: someLines,
  isPossible: canSave,
  model: saveRequest,
  send: sendRecords,
})

function saveRequest(service: Service, all: readonly Line[], now: number, issuer?: Issuer) {
  const outcomes = service.saveRequest(all, now, issuer)
  if (outcomes.includes('refused')) return 400
  const list = outcomes.map((outcome, at) => ({
    line: at + 1,
    outcome,
    ...survivorOf(service, all[at], outcome),
  }))
  return { ...countOf(outcomes), unknown_fields: 0, outcomes: list }
}

/** The survivor of a merged passport for which a data point was written. No response names hidden passports. */
function survivorOf(service: Service, line: Line | undefined, outcome: Outcome | undefined) {
  if (line === undefined || !('passport' in line) || outcome === 'removed') return undefined
  const id = service.survivorOf(line.passport)
  return id !== line.passport && !service.passport(id).isHidden && { passport_id: id }
}

async function sendRecords(node: Node, records: readonly Line[], key?: KeyName) {
  const { status, body } = await node.request('/api/v3/records', 'POST', { records }, key)
  const { cursor: _, ...result } = body
  return status === 200 ? result : status
}

/** Writes with another key than that of the operator. */
const writeWithKey = kind({
  weight: 3,
  arbitrary: fc.record({
    key: fc.constantFrom('reader', 'revoked', 'ann', 'ben', 'ann', 'ben'),
    lines: fc.oneof({ weight: 5, arbitrary: somePoints }, someLines),
  }),
  isPossible: (service, { lines }) => canSave(service, lines),
  model(service, { key, lines }, now) {
    if (key === 'reader') return 403
    if (key === 'revoked') return 401
    return saveRequest(service, lines, now, { name: key, types: KEYS[key].types })
  },
  send: (node, { key, lines }) => sendRecords(node, lines, key),
})

const importLines = kind({
  weight: 3,
  arbitrary: fc.record({ lines: someLines, restore: fc.boolean() }),
  isPossible: (service, { lines }) => canSave(service, lines),
  model: (service, { lines, restore }, now) => (service.saveImport(lines, now, restore) > 0 ? 1 : 0),
  async send(node, { lines, restore }) {
    const path = node.file('lines.jsonl', lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
    return (await node.command('import', path, ...(restore ? ['--restore'] : []))).code
  },
})

const canMerge = (service: Service, from: number, into: number) => {
  if (from === into || !service.has(from) || !service.has(into)) return false
  const both = [service.passport(from), service.passport(into)]
  return both.every(({ mergedInto, isHidden }) => mergedInto === undefined && !isHidden)
}

const statusOf = async (reply: Promise<{ status: number }>) => (await reply).status

const merge = kind({
  weight: 3,
  arbitrary: fc.record({ from: someId, into: someId }),
  isPossible: (service, { from, into }) => canMerge(service, from, into),
  model(service, { from, into }) {
    service.merge(from, into)
    return 200
  },
  send: (node, { from, into }) => statusOf(node.request(`/api/v3/passports/${from}/merge`, 'POST', { into })),
})

const unmerge = kind({
  weight: 2,
  arbitrary: someId,
  isPossible: (service, id) => service.has(id) && service.passport(id).mergedInto !== undefined,
  model(service, id) {
    service.unmerge(id)
    return 200
  },
  send: (node, id) => statusOf(node.request(`/api/v3/passports/${id}/merge`, 'DELETE')),
})

const remove = kind({
  weight: 1,
  arbitrary: someId,
  isPossible: (service, id) => service.has(id),
  model(service, id) {
    service.remove(id)
    return 200
  },
  send: (node, id) => statusOf(node.request(`/api/v3/passports/${id}`, 'DELETE')),
})

const hide = kind({
  weight: 2,
  arbitrary: someId,
  isPossible: (service, id) => service.has(id) && service.passport(id).mergedInto === undefined,
  model(service, id) {
    service.hide(id, !service.passport(id).isHidden)
    return 0
  },
  // A hidden passport is in no response, so only a hidden one is not found by its id.
  async send(node, id) {
    const isHidden = (await node.request(`/api/v3/passports/${id}`)).status === 404
    return (await node.command(isHidden ? 'unhide' : 'hide', String(id))).code
  },
})

const applyRules = kind({
  weight: 4,
  arbitrary: fc.constantFrom(...RULE_SETS, ...RULE_SETS.slice(0, 2)),
  isPossible: (service, rules) => service.rules.version !== rules.version,
  model(service, rules) {
    service.apply(rules)
    return 0
  },
  send: async (node, rules) =>
    (await node.command('rules', 'apply', node.file('rules.json', JSON.stringify(rules)))).code,
})

const rollBack = kind({
  weight: 1,
  arbitrary: fc.constant('rules rollback' as const),
  // The built-in rule set is not in the model.
  isPossible: (service) => service.canRollBack(),
  model(service) {
    service.rollBack()
    return 0
  },
  send: async (node) => (await node.command('rules', 'rollback')).code,
})

const scoreAll = kind({
  weight: 1,
  arbitrary: fc.constant('score --all' as const),
  isPossible: () => true,
  model(service) {
    service.settle(true)
    return 0
  },
  send: async (node) => (await node.command('score', '--all')).code,
})

const OPERATIONS = {
  write,
  writeWithKey,
  importLines,
  merge,
  unmerge,
  remove,
  hide,
  applyRules,
  rollBack,
  scoreAll,
}

/** A random operation of any kind. */
export type Step = { kind: keyof typeof OPERATIONS; operation: unknown }

// Each operation has the type of its kind.
const kindOf = (step: Step) => OPERATIONS[step.kind] as unknown as Kind<unknown>

export const someStep: fc.Arbitrary<Step> = fc.oneof(
  ...(Object.keys(OPERATIONS) as Step['kind'][]).map((kind) => {
    const { weight, arbitrary } = kindOf({ kind, operation: undefined })
    return { weight, arbitrary: arbitrary.map((operation): Step => ({ kind, operation })) }
  }),
)

export const isPossible = (service: Service, step: Step) => kindOf(step).isPossible(service, step.operation)

/** Changes the model, and returns what the service must answer. */
export const change = (service: Service, step: Step, now: number) =>
  kindOf(step).model(service, step.operation, now)

/** Sends an operation to the service, and returns its answer. */
export const send = (node: Node, step: Step) => kindOf(step).send(node, step.operation)

/** Whether an import and a request have the same result in any order. */
export function areIndependent(service: Service, one: Step, other: Step): boolean {
  if (one.kind !== 'importLines' || other.kind !== 'write') return false
  const imported = (one.operation as { lines: Line[] }).lines
  const written = other.operation as Line[]
  const idOf = (line: Line) => service.survivorOf('passport' in line ? line.passport : line.passport_id)
  const isApart = imported.every((line) => written.every((each) => idOf(each) !== idOf(line)))
  // Wallets and unique accounts belong to the first passport that has them.
  const isOwn = (line: Line) => ('passport' in line ? !line.account : !hasSharedWallet(line))
  return isApart && [...imported, ...written].every(isOwn)
}
