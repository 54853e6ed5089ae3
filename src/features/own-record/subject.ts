/** The person whom a passport is about, after proving a wallet. */
export type Subject = { id: number; hidden: boolean }

/** A request of a person to the operator, as it is stored until it is done. */
export type CorrectionRequest = { id: string; passport_id: number; text: string; created_at: number }

export const LONGEST_REQUEST = 2000
export const MOST_REQUESTS_OF_PERSON = 10
