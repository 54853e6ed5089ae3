/** A raw fact about a passport; the rule set turns it into a scored credential. */
export type DataPoint = {
  type: string
  /** The account of the person that it belongs to; empty if there is only one. */
  account: string
  value: RawValue
  /** Display text that replaces the raw value; may be empty. */
  display: string
  /** Epoch milliseconds; absent if unknown. */
  earnedAt?: number
}

/** A flag counts as 1 or 0; a date is epoch milliseconds. */
export type RawValue = { kind: 'number' | 'flag' | 'date'; amount: number }

export function describeRawValue({ kind, amount }: RawValue): string {
  if (kind === 'flag') return amount === 1 ? 'Verified' : 'Not verified'
  return kind === 'date' ? new Date(amount).toISOString().slice(0, 10) : String(amount)
}
