import type { Credential } from '../../passport/credential.ts'
import type { DataPoint } from '../../passport/data-point.ts'
import type { PassportRecord } from '../../passport/record.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import { type CredentialsRow, fromCredentialsRow } from '../rows/credential.ts'
import { LONGEST_CHAIN, type StoredRow, toRecord } from '../rows/passport.ts'
import { type AdoptionState, targetRules, watchedTypes } from '../sql/rules.ts'

/** The rows of all tables that a batch may touch. They are immutable: a changed row is another object. */
export type BatchRows = {
  passports: Map<number, StoredRow>
  wallets: Map<string, number>
  credentials: Map<number, CredentialsRow>
  dataPoints: Map<number, readonly DataPoint[]>
  /** The handles of each passport (src/core/passport/passport.ts), sorted. */
  handles: Map<number, readonly string[]>
  removals: Map<number, number>
  /** The wallets whose records are skipped, by address. The table has their digests. */
  barred: Map<string, number>
}

/** The credentials that a record gives, and those that responses will show: others are scored first. */
export type GivenCredentials = { list: readonly Credential[]; shown: readonly Credential[] | undefined }

/** The rows as a batch changes them. `credentials` and `handles` are derived at its end. */
export type WriteModel = BatchRows & {
  before: Readonly<BatchRows>
  /** The passports that were put, and the stored ones that were removed. */
  changed: Set<number>
  removed: Set<number>
  newCredentials: Map<number, GivenCredentials>
  rules: string | undefined
  watched: WatchedTypes | undefined
}

export function createWriteModel(before: BatchRows, adoption: AdoptionState): WriteModel {
  const copies = Object.entries(before).map(([name, rows]) => [name, new Map<unknown, unknown>(rows)])
  return {
    ...(Object.fromEntries(copies) as BatchRows),
    before,
    changed: new Set(),
    removed: new Set(),
    newCredentials: new Map(),
    rules: targetRules(adoption),
    watched: watchedTypes(adoption),
  }
}

export function putPassport({ passports, changed }: WriteModel, row: StoredRow): void {
  // A passport that is merged into a hidden one is hidden, too.
  const survivor = row.merged_into === null ? undefined : passports.get(row.merged_into)
  passports.set(row.id, { ...row, hidden_at: row.hidden_at ?? survivor?.hidden_at ?? null })
  changed.add(row.id)
}

/** Also removes the passport's wallets, credentials, data points and handles. */
export function removePassport(model: WriteModel, id: number): void {
  const { passports, wallets, credentials, dataPoints, handles, newCredentials, changed } = model
  if (model.before.passports.has(id)) model.removed.add(id)
  for (const address of listWallets(model, id)) wallets.delete(address)
  for (const rows of [passports, credentials, dataPoints, handles, newCredentials, changed]) rows.delete(id)
}

export const listMerged = ({ passports }: WriteModel, into: number): number[] =>
  [...passports.values()].flatMap((row) => (row.merged_into === into ? [row.id] : []))

export const listWallets = ({ wallets }: WriteModel, passportId: number): string[] =>
  [...wallets].flatMap(([address, owner]) => (owner === passportId ? [address] : []))

/** The credentials of the last record and the calculated ones, including superseded ones. */
export const listCredentials = (
  { newCredentials, credentials }: WriteModel,
  id: number,
): readonly Credential[] => newCredentials.get(id)?.list ?? fromCredentialsRow(credentials.get(id))

export const listDataPoints = ({ dataPoints }: WriteModel, id: number): readonly DataPoint[] =>
  dataPoints.get(id) ?? []

/** Keeps the last data point of each type and account, and the time since when the passport has it. */
export function replaceDataPoints(model: WriteModel, id: number, points: readonly DataPoint[], now: number) {
  const keyOf = ({ type, account }: DataPoint) => JSON.stringify([type, account])
  const since = new Map(listDataPoints(model, id).map((point) => [keyOf(point), point.addedAt ?? 0]))
  const dated = points.map((point) => {
    const key = keyOf(point)
    return [key, { ...point, addedAt: since.get(key) ?? point.addedAt ?? now }] as const
  })
  model.dataPoints.set(id, [...new Map(dated).values()])
}

/** Whether a record says what is stored, as a line of an own export does. */
export function isStored(model: WriteModel, record: PassportRecord): boolean {
  const { credentials = [], dataPoints = [], ...rest } = record
  const row = model.passports.get(record.id)
  return (
    row !== undefined &&
    Bun.deepEquals({ stale: false, ...rest }, toRecord(row)) &&
    Bun.deepEquals(credentials, listCredentials(model, row.id)) &&
    Bun.deepEquals(dataPoints, listDataPoints(model, row.id))
  )
}

type Merges = { get(id: number): Pick<StoredRow, 'merged_into'> | undefined }

/** The id, the id it was merged into, and so on. The last one is the survivor. */
export function chainOf(id: number, passports: Merges): number[] {
  const chain = [id]
  for (let next = passports.get(id)?.merged_into; typeof next === 'number'; ) {
    chain.push(next)
    if (chain.length > LONGEST_CHAIN) break
    next = passports.get(next)?.merged_into
  }
  return chain
}

export const survivorOf = (id: number, passports: Merges) => chainOf(id, passports).at(-1) as number
