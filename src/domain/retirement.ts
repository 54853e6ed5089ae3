/** How V1 ends. Instants are epoch milliseconds. */
export type RetirementPlan = {
  deprecatedAt?: number
  sunsetAt?: number
  /** The address of what comes after V1. */
  successor?: string
  /** A page of the operator's own that tells callers more. */
  notice?: string
  /** In order of time; none overlaps another. */
  brownouts: readonly Brownout[]
  /** Ids of keys that brown-outs spare. */
  exempt: readonly string[]
}

/** V1 answers 410 from its start until its end. */
export type Brownout = { start: number; end: number }

export const NO_PLAN: RetirementPlan = { brownouts: [], exempt: [] }
