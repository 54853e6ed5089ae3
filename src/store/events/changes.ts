import type { EventContent } from '../../domain/v3/event.ts'

/** The events of a transaction, and the passports whose earlier events are deleted. */
export type Changes = { events: readonly EventContent[]; removed: readonly number[] }
