import { EVENT, WRITTEN } from '../../core/api/examples.ts'
import type { WireSubscription, WireSubscriptionRequest } from './schemas.ts'

export const SUBSCRIPTION_REQUEST: WireSubscriptionRequest = {
  url: 'https://example.com/hooks/passports',
  types: ['score.changed'],
  score: { above: 50 },
}

export const SUBSCRIPTION: WireSubscription = {
  id: 'sub_9f2c41d07a3be615',
  url: SUBSCRIPTION_REQUEST.url,
  types: ['score.changed'],
  passport: null,
  score: { above: 50 },
  state: 'active',
  cursor: WRITTEN.cursor,
  lag: 0,
  failures: 0,
  last_error: null,
  notice: null,
  next_attempt_at: null,
  last_delivered_at: EVENT.time,
  created_at: '2026-11-01T00:00:00.000Z',
  public_key: 'whpk_DCdSdMJGtQ+xCfc4Lr0iQqZYzTgnGhqJ1V0uZ7mO4Ws=',
}
