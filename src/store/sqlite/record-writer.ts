import type { Database } from 'bun:sqlite'
import { foldName } from '../../domain/name.ts'
import { type PassportRef, type Scores, walletsOf } from '../../domain/passport.ts'
import { addsUp, type IncomingRecord, type PassportRecord } from '../../domain/record.ts'
import type { SaveOptions, SaveResult } from '../store.ts'
import { createCredentialWriter } from './credentials.ts'
import { createDataPointWriter } from './data-points.ts'
import { createMerges } from './merges.ts'
import { createNames } from './names.ts'
import { STORED, type StoredRow, toRecordRow, toScoreRow, toScores } from './passport-row.ts'
import { createSettings } from './settings.ts'

type PassportIncoming = Extract<IncomingRecord, { kind: 'passport' }>

const COLUMNS = STORED.split(',').map((column) => column.trim())

const NO_SCORES: Scores = { total: 0, activity: 0, identity: 0, skills: 0 }

/** Writes records of every kind, one at a time; the caller holds the transaction. */
export function createRecordWriter(writer: Database) {
  const names = createNames(writer)
  const credentials = createCredentialWriter(writer)
  const dataPoints = createDataPointWriter(writer)
  const merges = createMerges(writer)
  const findRow = writer.query<StoredRow, [number]>(`select ${STORED} from passports where id = ?`)
  const hasEvidence = writer.query(
    `select 1 from credentials where passport_id = ?1
     union all select 1 from data_points where passport_id = ?1 limit 1`,
  )
  const hasDataPoints = writer.query('select 1 from data_points where passport_id = ? limit 1')
  const isRemoved = writer.query('select 1 from removals where passport_id = ?')
  const forgetRemoval = writer.query('delete from removals where passport_id = ?')
  const findOwner = writer.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const removeWallets = writer.query('delete from wallets where passport_id = ?')
  const insertWallet = writer.query('insert into wallets (address, passport_id) values (?, ?)')
  const setOwner = writer.query('update wallets set passport_id = ? where address = ?')
  const settings = createSettings(writer)
  const markStale = writer.query('update passports set stale = 1 where id = ?')
  const columns = COLUMNS.map((column) => `${column} = $${column}`).slice(1)
  const insert = writer.query(
    `insert into passports (${COLUMNS.join(', ')}) values (${COLUMNS.map((column) => `$${column}`).join(', ')})`,
  )
  const update = writer.query(`update passports set ${columns.join(', ')} where id = $id`)

  function savePassport({ passport: record, origin }: PassportIncoming, options: SaveOptions): SaveResult {
    const { now, restore, reading = '' } = options
    const wasRemoved = isRemoved.get(record.id) !== null
    if (wasRemoved && !restore) return { outcome: 'barred' }
    const before = findRow.get(record.id)
    const fingerprint = reading + Bun.hash(origin ?? JSON.stringify(record)).toString(36)
    if (before?.fingerprint === fingerprint) return { outcome: 'unchanged' }

    const wallets = walletsOf(record)
    const owned = wallets.map((wallet) => findOwner.get(wallet)?.passport_id)
    const survivor = merges.survivorOf(record.mergedInto ?? record.id)
    const taken = owned.findIndex((owner) => {
      const other = owner === undefined ? survivor : merges.survivorOf(owner)
      // One that was merged into this record before this record itself was merged may come in first.
      return other !== survivor && other !== record.id
    })
    if (taken !== -1) return refuseWallet(record, wallets[taken] as string, owned[taken] as number)
    if (record.mergedInto !== undefined && merges.leadsTo(record.mergedInto, record.id)) {
      return {
        outcome: 'refused',
        field: 'merged_into',
        reason:
          record.mergedInto === record.id
            ? 'is the passport itself'
            : `passport ${record.mergedInto} is merged into ${record.id} itself`,
      }
    }

    if (wasRemoved) forgetRemoval.run(record.id)
    const row = { ...toRecordRow(record), ...state(record, before, now), fingerprint }
    if (before) {
      update.run(row)
      removeWallets.run(record.id)
    } else {
      insert.run(row)
    }
    wallets.forEach((wallet, at) => {
      if (owned[at] === undefined || owned[at] === record.id) insertWallet.run(wallet, record.id)
      // Of two that are merged, the survivor has it.
      else if (survivor === record.id) setOwner.run(record.id, wallet)
    })
    writeName(record, before)
    if (record.credentials) {
      if (before) credentials.replace(record.id, record.credentials)
      else credentials.insert(record.id, record.credentials)
    }
    const { dataPoints: points, credentialPoints = [] } = record
    if (points) dataPoints.replace(record.id, [...points, ...credentialPoints])
    else if (record.credentials && (before || credentialPoints.length > 0)) {
      dataPoints.replaceOfCredentials(record.id, credentialPoints)
    }
    return { outcome: before ? 'changed' : 'added' }
  }

  /** Only listed passports can be found by name. */
  function writeName({ id, profile, mergedInto }: PassportRecord, before: StoredRow | null): void {
    const wasListed = before !== null && before.merged_into === null
    const isListed = mergedInto === undefined && (before === null || wasListed)
    if (wasListed && isListed && before.display_name === profile.displayName) return
    if (wasListed) names.remove(id)
    if (isListed) names.insert(id, foldName(profile.displayName))
  }

  /** The scores and what goes with them. Old scores stand until the scorer has worked out new ones. */
  function state(record: PassportRecord, before: StoredRow | null, now: number) {
    // The record tells nothing of credentials: the score rests on those that are here.
    const restsHere =
      record.credentials === undefined && before !== null && hasEvidence.get(record.id) !== null
    const stale =
      record.stale === true ||
      (record.rules !== undefined && record.rules !== (settings.get('rules') ?? record.rules)) ||
      (restsHere && before.stale !== 0) ||
      (before !== null && before.given_human !== Number(record.givenHuman ?? record.human)) ||
      (record.dataPoints === undefined && hasDataPoints.get(record.id) !== null) ||
      !addsUp(record)
    const keepsOld = before !== null && (stale || restsHere)
    return {
      ...toScoreRow(keepsOld ? toScores(before) : (record.scores ?? NO_SCORES)),
      stale: Number(stale),
      calculated_at: (keepsOld ? before.calculated_at : record.calculatedAt) ?? before?.calculated_at ?? now,
      human: Number(record.human || (keepsOld && before.human === 1)),
      merged_into: record.mergedInto ?? before?.merged_into ?? null,
      rules: record.rules ?? '',
    }
  }

  function saveDataPoint(record: IncomingRecord & { kind: 'data-point' }): SaveResult {
    const id = find(record.passport)
    if (id === undefined && 'id' in record.passport && isRemoved.get(record.passport.id) !== null) {
      return { outcome: 'barred' }
    }
    if (id === undefined) {
      const name = 'id' in record.passport ? record.passport.id : record.passport.wallet
      return { outcome: 'refused', field: 'passport', reason: `there is no passport ${name} here` }
    }
    const outcome = dataPoints.put(id, record.point)
    if (outcome !== 'unchanged') markStale.run(id)
    return { outcome }
  }

  function find(ref: PassportRef): number | undefined {
    const id = 'id' in ref ? ref.id : findOwner.get(ref.wallet)?.passport_id
    const survivor = id === undefined ? undefined : merges.survivorOf(id)
    return survivor !== undefined && findRow.get(survivor) !== null ? survivor : undefined
  }

  return {
    save(record: IncomingRecord, options: SaveOptions): SaveResult {
      switch (record.kind) {
        case 'passport':
          return savePassport(record, options)
        case 'data-point':
          return saveDataPoint(record)
        case 'removal':
          return { outcome: merges.remove(record.id, options.now) ? 'changed' : 'unchanged' }
      }
    },
  }
}

function refuseWallet({ mainWallet }: PassportRecord, wallet: string, owner: number): SaveResult {
  const field = walletsOf({ mainWallet, verifiedWallets: [] }).includes(wallet)
    ? 'main_wallet'
    : 'verified_wallets'
  return { outcome: 'refused', field, reason: `wallet ${wallet} belongs to passport ${owner}` }
}
