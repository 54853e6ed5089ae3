import type { Actor, EventLog } from '../../core/history/event.ts'
import type { Subscription, SubscriptionState } from './subscription.ts'

/** Webhooks. A change by a person or a client names its actor, and adds an entry to the audit log. */
export type SubscriptionStore = {
  /** Throws `invalid_request` if the key has too many subscriptions, and `overloaded` if all keys together have. */
  create(subscription: Subscription, actor: Actor): Promise<void>
  find(id: string): Promise<Subscription | undefined>
  /** Oldest first; all subscriptions without a key. */
  list(keyId?: string): Promise<Subscription[]>
  /** Absent fields stay unchanged. Ends the wait for the next attempt. New keys are a rotation in the audit log. */
  change(id: string, change: SubscriptionChange, actor: Actor): Promise<Subscription | undefined>
  /** Returns whether the subscription existed. */
  remove(id: string, actor: Actor): Promise<boolean>
  exist(): Promise<boolean>
  /** The active subscriptions of valid keys that are behind the log and do not wait, the longest waiting first. */
  listDue(log: EventLog, now: number): Promise<Subscription[]>
  /** Saves the result of a delivery, unless a client changed or removed the subscription. Returns whether it is active. */
  save(before: Subscription, progress: DeliveryProgress): Promise<boolean>
  count(log: EventLog, now: number): Promise<SubscriptionCount[]>
}

type SubscriptionChange = Partial<
  Pick<Subscription, 'url' | 'filter' | 'keys' | 'state' | 'cursor' | 'notice'>
>

/** A client may have paused the subscription during the delivery, so `state` is absent while it stays active. */
export type DeliveryProgress = Partial<
  Omit<Subscription, 'id' | 'keyId' | 'url' | 'filter' | 'keys' | 'createdAt'>
>

/** `lag` is the largest number of events that a subscription with a valid key is behind the log. */
export type SubscriptionCount = { state: SubscriptionState; count: number; lag: number }

/** Work that one node does at a time. */
export type LeaseStore = {
  /** Takes or renews the lease. Returns false while another holder has it. */
  acquire(name: string, holder: string, milliseconds: number): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}
