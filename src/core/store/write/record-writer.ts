import { hashOf } from '../../basics/hash.ts'
import type { Actor } from '../../history/event.ts'
import { CREDENTIAL_ACCOUNT, foldWallet, type PassportRef, walletsOf } from '../../passport/passport.ts'
import type { IncomingRecord, PassportRecord } from '../../passport/record.ts'
import { findTooManyPoints } from '../../passport/record-size.ts'
import { type StoredRow, toRecordRow } from '../rows/passport.ts'
import { leadsTo, remove, takeBackPoints } from './merges.ts'
import { stateOf } from './record-state.ts'
import {
  isStored,
  listDataPoints,
  listWallets,
  putPassport,
  replaceDataPoints,
  survivorOf,
  type WriteModel,
} from './write-model.ts'

export type SaveOptions = {
  now: number
  /** Who saves the records; `cli` if absent. */
  actor?: Actor
  /** Accepts records of removed passports again. */
  restore: boolean
  /** Stops at the first refused record. Later records are not saved and have no result. */
  strict?: boolean
  /** The records are those of one request: all of them are saved, or none. */
  isWhole?: boolean
  /** An issuer saves the records. It may not change data points that another issuer wrote. */
  isIssuer?: boolean
  /** Added to fingerprints, because the same bytes parsed with other options are a different record. */
  fingerprintPrefix?: string
}

export type SaveRecords = (records: readonly IncomingRecord[], options: SaveOptions) => Promise<SaveResult[]>

export type SaveResult =
  | {
      /** `removed`: ignored, because the passport was removed before. */
      outcome: 'added' | 'changed' | 'unchanged' | 'removed'
      /** The passports that a removal deleted. */
      removedIds?: readonly number[]
      /** The passport that got a data point, because the passport in the record is merged into it. */
      survivorId?: number
    }
  | { outcome: 'refused'; field: string; reason: string }

type PassportIncoming = Extract<IncomingRecord, { kind: 'passport' }>

/** `unchanged` records are known to be stored already. */
type BatchOptions = SaveOptions & { unchanged: ReadonlySet<IncomingRecord> }

export function saveBatch(model: WriteModel, batch: readonly IncomingRecord[], options: BatchOptions) {
  if (options.isWhole) return saveWhole(model, batch, options)
  const results: SaveResult[] = []
  for (const record of batch) {
    const result = saveOne(model, record, options)
    results.push(result)
    if (options.strict && result.outcome === 'refused') break
  }
  return results
}

/** Refused records are tried again this often: other records of the batch may free their wallets. */
const MOST_ROUNDS = 10

/** Saves the records of one request. Passports come first: who owns the wallet of a data point is known only then. */
function saveWhole(model: WriteModel, batch: readonly IncomingRecord[], options: BatchOptions): SaveResult[] {
  const results: SaveResult[] = []
  const saved = new Set<string>()
  const [points, passports] = [true, false].map((isOfPoint) =>
    [...batch.keys()].filter((at) => isPoint(batch[at] as IncomingRecord) === isOfPoint),
  ) as [number[], number[]]
  for (let pending of [passports, points])
    for (let round = 0; round < MOST_ROUNDS && pending.length > 0; round++) {
      pending = pending.filter((at) => {
        const record = batch[at] as IncomingRecord
        const subject = subjectOf(model, record)
        const result = saved.has(subject) ? REPEATED : saveOne(model, record, options)
        results[at] = result
        if (result.outcome !== 'refused') saved.add(subject)
        return result.outcome === 'refused'
      })
    }
  return results
}

const isPoint = ({ kind }: IncomingRecord) => kind === 'data-point' || kind === 'withdrawal'

/** What a record is about: a passport, or a data point of a passport. */
function subjectOf(model: WriteModel, record: IncomingRecord): string {
  if (record.kind === 'passport') return String(record.passport.id)
  if (record.kind === 'removal') return String(record.id)
  const { type, account } = record.point
  return JSON.stringify([findSurvivor(model, record.passport) ?? record.passport, type, account])
}

const REPEATED: SaveResult = {
  outcome: 'refused',
  field: '',
  reason: 'is about the same passport or data point as another record of the request',
}

function saveOne(model: WriteModel, record: IncomingRecord, options: BatchOptions): SaveResult {
  if (options.unchanged.has(record)) return { outcome: 'unchanged' }
  if (record.kind === 'passport') return savePassport(model, record, options)
  if (record.kind !== 'removal') return saveDataPoint(model, record, options)
  const removedIds = remove(model, record.id, options.now)
  return { outcome: removedIds.length > 0 ? 'changed' : 'unchanged', removedIds }
}

function savePassport(
  model: WriteModel,
  incoming: PassportIncoming,
  { now, restore, fingerprintPrefix }: SaveOptions,
): SaveResult {
  const { passport: record } = incoming
  const barred = walletsOf(record).filter((address) => model.barred.has(address))
  const wasRemoved = model.removals.has(record.id) || barred.length > 0
  if (wasRemoved && !restore) return { outcome: 'removed' }
  const before = model.passports.get(record.id)
  const fingerprint = fingerprintOf(incoming, fingerprintPrefix)
  if (before?.fingerprint === fingerprint || isStored(model, record)) return { outcome: 'unchanged' }
  const wallets = walletsOf(record).map((address) => ({ address, owner: model.wallets.get(address) }))
  const survivor = survivorOf(record.mergedInto ?? record.id, model.passports)
  const refusal = findRefusal(model, record, wallets, survivor)
  if (refusal) return refusal

  const isMoved = (record.mergedInto ?? before?.merged_into) !== before?.merged_into
  if (isMoved) takeBackPoints(model, record.id)
  if (wasRemoved) model.removals.delete(record.id)
  for (const address of barred) model.barred.delete(address)
  const recordRow = toRecordRow(record)
  const row = { ...recordRow, ...stateOf(model, record, { recordRow, before, now }), fingerprint }
  putPassport(model, row)
  saveWallets(model, wallets, { before, row, survivor })
  if (record.credentials) {
    // Old scores and old credentials are shown until the new ones are calculated.
    const isShown = row.stale === 0 || before === undefined
    const credentials = isShown ? record.credentials : model.newCredentials.get(record.id)?.shown
    model.newCredentials.set(record.id, { list: record.credentials, shown: credentials })
  }
  saveDataPoints(model, record, before !== undefined, now)
  return { outcome: before ? 'changed' : 'added' }
}

/** Earlier versions ignored the fields that only V2 shows. `v2:` makes records with such fields count as changed. */
export function fingerprintOf({ passport, source }: PassportIncoming, prefix = ''): string {
  const { imageUrl, mainWalletChangedAt, nominations } = passport
  const isOfV2 = [imageUrl, mainWalletChangedAt, nominations].some((field) => field !== undefined)
  return prefix + (isOfV2 ? 'v2:' : '') + hashOf(source ?? JSON.stringify(passport))
}

type OwnedWallet = { address: string; owner: number | undefined }

function findRefusal(
  model: WriteModel,
  record: PassportRecord,
  wallets: readonly OwnedWallet[],
  survivor: number,
): SaveResult | undefined {
  const taken = wallets.find(({ owner }) => {
    const other = owner === undefined ? survivor : survivorOf(owner, model.passports)
    // The owner can be a passport that was imported earlier and is merged into this one.
    return other !== survivor && other !== record.id
  })
  if (taken) {
    const field = taken.address === foldWallet(record.mainWallet) ? 'main_wallet' : 'verified_wallets'
    return { outcome: 'refused', field, reason: `wallet ${taken.address} belongs to passport ${taken.owner}` }
  }
  const { id, mergedInto: into } = record
  if (into === undefined || !leadsTo(model, into, id)) return undefined
  const reason = into === id ? 'is the passport itself' : `passport ${into} is merged into ${id} itself`
  return { outcome: 'refused', field: 'merged_into', reason }
}

function saveWallets(
  model: WriteModel,
  wallets: readonly OwnedWallet[],
  { before, row, survivor }: { before: StoredRow | undefined; row: StoredRow; survivor: number },
): void {
  const isSame = before?.main_wallet === row.main_wallet && before.verified_wallets === row.verified_wallets
  // The fast path: most changed records keep their wallets.
  if (isSame && wallets.every(({ owner }) => owner === row.id)) return
  if (before) for (const address of listWallets(model, row.id)) model.wallets.delete(address)
  for (const { address, owner } of wallets) {
    // If two passports with the same wallet are merged, the survivor owns it.
    const mayOwn = owner === undefined || owner === row.id || survivor === row.id
    if (mayOwn) model.wallets.set(address, row.id)
  }
}

function saveDataPoints(model: WriteModel, record: PassportRecord, isKnown: boolean, now: number): void {
  const { id, dataPoints: points, credentialPoints = [] } = record
  if (points) replaceDataPoints(model, id, [...points, ...credentialPoints], now)
  else if (record.credentials && (isKnown || credentialPoints.length > 0)) {
    const others = listDataPoints(model, id).filter(({ account }) => !account.startsWith(CREDENTIAL_ACCOUNT))
    replaceDataPoints(model, id, [...others, ...credentialPoints], now)
  }
}

function saveDataPoint(
  model: WriteModel,
  record: IncomingRecord & { kind: 'data-point' | 'withdrawal' },
  { now, isIssuer = false }: SaveOptions,
): SaveResult {
  const { passports, removals, barred } = model
  const owner = findOwner(model, record.passport)
  const id = findSurvivor(model, record.passport)
  const row = id === undefined ? undefined : passports.get(id)
  // For issuers, hidden and removed passports do not exist.
  if (id === undefined || !row || (isIssuer && row.hidden_at !== null)) {
    const name = 'id' in record.passport ? record.passport.id : record.passport.wallet
    const removedAt = typeof name === 'number' ? removals.get(name) : barred.get(name)
    if (removedAt !== undefined && !isIssuer) return { outcome: 'removed' }
    return { outcome: 'refused', field: 'passport', reason: `there is no passport ${name} here` }
  }
  const { type, account, issuer } = record.point
  const stored = listDataPoints(model, id)
  const before = stored.find((point) => point.type === type && point.account === account)
  if (isIssuer && before?.issuer !== undefined && before.issuer !== issuer) {
    const reason = `the issuer ${before.issuer} wrote this data point, and only it may change it`
    return { outcome: 'refused', field: 'account', reason }
  }
  const writtenFor = id === owner ? undefined : owner
  const point = record.kind === 'data-point' ? { ...record.point, writtenFor } : undefined
  const stays = before && { addedAt: before.addedAt, writtenFor: before.writtenFor }
  const isSame = point ? before && Bun.deepEquals(before, { ...point, ...stays }) : before === undefined
  // Nobody learns which passport is hidden.
  const survivor = row.hidden_at === null && writtenFor !== undefined && { survivorId: id }
  if (isSame) return { outcome: 'unchanged', ...survivor }
  const others = stored.filter((row) => row !== before)
  const reason = point && findTooManyPoints(point, before, others, isIssuer)
  if (reason !== undefined) return { outcome: 'refused', field: 'passport', reason }
  replaceDataPoints(model, id, point ? [...others, point] : others, now)
  putPassport(model, { ...row, stale: 1 })
  return { outcome: before ? 'changed' : 'added', ...survivor }
}

const findOwner = ({ wallets }: WriteModel, ref: PassportRef) =>
  'id' in ref ? ref.id : wallets.get(ref.wallet)

function findSurvivor(model: WriteModel, ref: PassportRef): number | undefined {
  const { passports } = model
  const id = findOwner(model, ref)
  return id === undefined ? undefined : passports.get(survivorOf(id, passports))?.id
}

export const isChange = ({ outcome }: SaveResult) => outcome === 'added' || outcome === 'changed'
