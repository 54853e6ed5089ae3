/** A raw fact about a passport, which the rule set turns into a scored credential. */
export type DataPoint = {
  type: string
  /** Which of the person's accounts it is of; empty where there is but one. */
  account: string
  value: RawValue
  /** What people read instead of the raw value; empty where none was given. */
  display: string
  /** Epoch milliseconds, where known. */
  earnedAt?: number
}

/** A flag counts as 1 or 0; a date is epoch milliseconds. */
export type RawValue = { kind: 'number' | 'flag' | 'date'; amount: number }

export function describeRawValue({ kind, amount }: RawValue): string {
  if (kind === 'flag') return amount === 1 ? 'Verified' : 'Not verified'
  return kind === 'date' ? new Date(amount).toISOString().slice(0, 10) : String(amount)
}
