import type { Issuer, Line, Outcome, PassportLine, Point, PointLine } from './facts.ts'
import { addUp, calculate, type RuleSet, type Scores, type ShownCredential } from './scores.ts'

/**
 * A naive model of the service, written from the docs, without code of src: facts in maps, from which each answer is made
 * again at each read (answers.ts, history.ts). Tests and the stress scenario `model` send random operations to this model
 * and to the service, and compare all answers.
 *
 * To add an operation: add an entry to OPERATIONS in operations.ts, which says when the operation is possible, what it
 * changes here, and how it is sent to the service. If it changes facts that this file does not have, add a method here.
 */

type PassportRecord = Required<PassportLine> & {
  passport_profile: Required<NonNullable<PassportLine['passport_profile']>>
}

export type Stored = {
  id: number
  record: PassportRecord
  /** The text of the latest record, which changes nothing if it is sent again. */
  text: string
  points: Map<string, Point>
  mergedInto?: number
  isHidden: boolean
  /**
   * What is shown until the passport is scored again. `rules` is null for the scores of a record, and `OPEN` if the docs do
   * not say which of two rule sets with the same result it is.
   */
  scores: Scores & { rules: string | null }
  /** The credentials that the rule set of the scores before these would give. `OPEN` if that one is open. */
  byEarlier?: readonly ShownCredential[] | typeof OPEN | undefined
}

export class Service {
  private passports = new Map<number, Stored>()
  private removed = new Set<number>()
  private barred = new Set<string>()
  /** The applied rule sets, the active one last. */
  private applied: RuleSet[]
  private known = new Map<string | null, RuleSet>()
  /** The passports that need a new score. */
  private stale = new Set<number>()

  get rules(): RuleSet {
    return this.applied.at(-1) as RuleSet
  }

  constructor(rules: RuleSet) {
    this.applied = []
    this.apply(rules)
  }

  stored = () => [...this.passports.values()].toSorted((one, other) => one.id - other.id)
  has = (id: number) => this.passports.has(id)
  isRemoved = (id: number) => this.removed.has(id)
  isStale = (id: number) => this.stale.has(id)

  passport(id: number): Stored {
    const found = this.passports.get(id)
    if (!found) throw new Error(`The model has no passport ${id}.`)
    return found
  }

  survivorOf(id: number): number {
    const into = this.passports.get(id)?.mergedInto
    return into === undefined ? id : this.survivorOf(into)
  }

  /** The ids of the passports that were merged into this one, also through others. */
  mergedFrom = (id: number): number[] => {
    const merged = this.stored().filter(({ mergedInto }) => mergedInto === id)
    return merged
      .flatMap((each) => [each.id, ...this.mergedFrom(each.id)])
      .toSorted((one, other) => one - other)
  }

  /** Neither merged nor hidden. */
  listed = () => this.stored().filter(({ mergedInto, isHidden }) => mergedInto === undefined && !isHidden)

  walletsOf = ({
    main_wallet,
    verified_wallets,
  }: Pick<PassportRecord, 'main_wallet' | 'verified_wallets'>) => [
    ...new Set([main_wallet, ...verified_wallets].filter((wallet) => wallet !== '')),
  ]

  ownerOf = (wallet: string) =>
    this.stored().find(({ record }) => this.walletsOf(record).includes(wallet))?.id

  /** Saves the records of a request: all of them, or none. No two may be about the same. Returns the outcome of each. */
  saveRequest(lines: readonly Line[], now: number, issuer?: Issuer): Outcome[] {
    const before = [structuredClone(this.passports), new Set(this.stale)] as const
    const outcomes: Outcome[] = lines.map(() => 'refused')
    const saved = new Set<string>()
    const isPoint = (at: number) => 'passport' in (lines[at] as Line)
    const save = (at: number) => {
      const line = lines[at] as Line
      if (saved.has(this.subjectOf(line))) return
      if (issuer && !this.mayWrite(issuer, line)) return
      outcomes[at] = 'passport' in line ? this.savePoint(line, now, issuer?.name) : this.savePassport(line)
      if (outcomes[at] !== 'refused') saved.add(this.subjectOf(line))
    }
    // Passports come first, in any order: one may use a wallet that another one frees.
    for (const _ of lines)
      for (const at of lines.keys()) if (!isPoint(at) && outcomes[at] === 'refused') save(at)
    for (const at of lines.keys()) if (isPoint(at)) save(at)
    if (outcomes.includes('refused')) [this.passports, this.stale] = before
    return outcomes
  }

  /** Saves the lines of an import, and tries refused ones again at the end. Returns how many are refused. */
  saveImport(lines: readonly Line[], now: number, restore: boolean): number {
    let refused: Line[] = []
    const save = (line: Line) => {
      // A later line about the same passport replaces a refused one.
      if (!('passport' in line))
        refused = refused.filter((each) => 'passport' in each || each.passport_id !== line.passport_id)
      const outcome = 'passport' in line ? this.savePoint(line, now) : this.savePassport(line, restore)
      if (outcome === 'refused') refused.push(line)
    }
    for (const line of lines) save(line)
    for (const _ of lines) {
      const again = refused
      refused = []
      for (const line of again) save(line)
    }
    return refused.length
  }

  /** What a record is about. */
  private subjectOf = (line: Line) =>
    'passport' in line ? `${this.survivorOf(line.passport)} ${keyOf(line)}` : `${line.passport_id}`

  /** To an issuer, hidden and removed passports are unknown. */
  private mayWrite({ name, types }: Issuer, line: Line): boolean {
    if (!('passport' in line) || !types.includes(line.type) || !this.has(line.passport)) return false
    const { isHidden, points } = this.passport(this.survivorOf(line.passport))
    return !isHidden && [name, undefined].includes(points.get(keyOf(line))?.issuer)
  }

  private savePassport(line: PassportLine, restore = false): Outcome {
    const id = line.passport_id
    const before = this.passports.get(id)
    const record: PassportRecord = {
      passport_id: id,
      score: line.score ?? 0,
      human_checkmark: line.human_checkmark ?? false,
      main_wallet: (line.main_wallet ?? '').toLowerCase(),
      verified_wallets: (line.verified_wallets ?? []).map((wallet) => wallet.toLowerCase()),
      passport_profile: { display_name: '', location: '', tags: [], ...line.passport_profile },
      passport_socials: line.passport_socials ?? [],
      credentials: line.credentials ?? before?.record.credentials ?? [],
    }
    const barred = this.walletsOf(record).filter((wallet) => this.barred.has(wallet))
    const wasRemoved = this.removed.has(id) || barred.length > 0
    if (wasRemoved && !restore) return 'removed'
    const text = JSON.stringify(line)
    if (before?.text === text) return 'unchanged'
    if (this.walletsOf(record).some((wallet) => (this.ownerOf(wallet) ?? id) !== id)) return 'refused'
    this.removed.delete(id)
    for (const wallet of barred) this.barred.delete(wallet)
    const points = before?.points ?? new Map<string, Point>()
    const isHumanChanged = before !== undefined && before.record.human_checkmark !== record.human_checkmark
    // Without credentials in the record, the inputs of a calculated score stay the same.
    const keepsInputs = before !== undefined && line.credentials === undefined && hasInputs(before)
    const isShown =
      keepsInputs && before.scores.credentials.length === 0 && before.scores.score !== record.score
    const hasNewInputs = !keepsInputs && (points.size > 0 || record.credentials.length > 0)
    // A new record settles what an earlier one left open.
    if (!keepsInputs) this.stale.delete(id)
    if (hasNewInputs || isHumanChanged || isShown) this.stale.add(id)
    // The old scores are shown until the new ones are calculated.
    const isKept = keepsInputs || this.stale.has(id)
    const old = (isKept && before?.scores) || { ...addUp([], record, this.rules), rules: null }
    const scores = { ...old, human_checkmark: record.human_checkmark || old.human_checkmark }
    this.passports.set(id, { isHidden: false, ...before, id, record, text, points, scores })
    return before ? 'changed' : 'added'
  }

  private savePoint(
    { passport: writtenFor, type, account = '', withdrawn, value = 0, display = '' }: PointLine,
    now: number,
    issuer?: string,
  ): Outcome {
    if (this.removed.has(writtenFor)) return 'removed'
    if (!this.has(writtenFor)) return 'refused'
    const id = this.survivorOf(writtenFor)
    const { points } = this.passport(id)
    const key = keyOf({ type, account })
    const before = points.get(key)
    const isSame = before?.value === value && before.display === display && before.issuer === issuer
    if (withdrawn ? !before : isSame) return 'unchanged'
    if (withdrawn) points.delete(key)
    else
      points.set(key, {
        ...{ type, account, value, display },
        added: before?.added ?? now,
        ...(issuer && { issuer }),
        ...(id !== writtenFor && { writtenFor }),
      })
    this.stale.add(id)
    return before ? 'changed' : 'added'
  }

  /** Scores all passports that need it: stale ones, and those whose result differs because of rules or other people. */
  settle(all = false): void {
    const due = this.stored().filter(
      ({ id, scores }) => all || this.stale.has(id) || !isSameScore(scores, calculate(this, id)),
    )
    for (const each of due) {
      const earlier = this.known.get(each.scores.rules)
      each.byEarlier =
        each.scores.rules === OPEN ? OPEN : earlier && calculate(this, each.id, earlier).credentials
      each.scores = { ...calculate(this, each.id), rules: hasInputs(each) ? this.rules.version : null }
    }
    // Any change of who has an account may be a reason to score its holders again.
    for (const { scores, points } of this.stored())
      if (scores.rules !== this.rules.version && [...points.values()].some(this.countsOnce))
        scores.rules = OPEN
    this.stale.clear()
  }

  private countsOnce = ({ type }: Point) => this.rules.types[type]?.unique !== undefined

  merge(id: number, into: number): void {
    this.passport(id).mergedInto = into
  }

  /** The passport gets back the data points that were written for it, or for those merged into it. */
  unmerge(id: number): void {
    const [stored, own] = [this.passport(id), [id, ...this.mergedFrom(id)]]
    for (let { mergedInto: holder } = stored; holder !== undefined; ) {
      const { points, mergedInto } = this.passport(holder)
      for (const [key, { writtenFor, ...point }] of points) {
        if (writtenFor === undefined || !own.includes(writtenFor)) continue
        points.delete(key)
        const added = stored.points.get(key)?.added ?? point.added
        stored.points.set(key, { ...point, added, ...(writtenFor !== id && { writtenFor }) })
        this.stale.add(holder).add(id)
      }
      holder = mergedInto
    }
    delete stored.mergedInto
  }

  /** Removes a passport, and those merged into it. Records with its id or wallets are skipped from now on. */
  remove(id: number): void {
    for (const each of [...this.mergedFrom(id), id]) {
      this.removed.add(each)
      const stored = this.passports.get(each)
      if (stored) for (const wallet of this.walletsOf(stored.record)) this.barred.add(wallet)
      this.passports.delete(each)
      this.stale.delete(each)
    }
  }

  hide(id: number, isHidden: boolean): void {
    for (const each of [...this.mergedFrom(id), id]) this.passport(each).isHidden = isHidden
  }

  apply(rules: RuleSet): void {
    this.applied.push(rules)
    this.known.set(rules.version, rules)
  }

  canRollBack = () => this.applied.length > 1

  rollBack(): void {
    this.applied.pop()
  }
}

/** A stamp that is not compared. */
export const OPEN = 'open'

const keyOf = ({ type, account = '' }: Pick<PointLine, 'type' | 'account'>) => `${type} ${account}`

const hasInputs = ({ record, points }: Stored) => record.credentials.length + points.size > 0

const isSameScore = ({ rules: _, ...one }: Stored['scores'], other: Scores) => Bun.deepEquals(one, other)
