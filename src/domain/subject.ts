/** The person whom a passport is about, after proving a wallet. */
export type Subject = { id: number; hidden: boolean }

/** A request of a person to the operator, until it is done. */
export type CorrectionRequest = { id: string; passportId: number; text: string; createdAt: number }

export const LONGEST_REQUEST = 2000
export const MOST_REQUESTS_OF_PERSON = 10
