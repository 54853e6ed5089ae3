import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import { serveRecords, type serveTest } from '../http/server.ts'
import { credential, dataPoint, record, social } from '../store/records.ts'
import { scoreNow, scorerOf } from '../store/scoring.ts'
import { KEYS } from './snapshots.ts'

export const PUBLIC_URL = 'https://passports.example:8443'

export const SIGNED = { signing: KEYS, publicUrl: PUBLIC_URL }

export const zoe = record(1, {
  stale: true,
  profile: { displayName: 'Zoe Lantern' },
  mainWallet: '0xabc',
  credentials: [credential('c-1', { type: 'kite', category: 'Skills', score: 9, maxScore: 4.5 })],
  dataPoints: [dataPoint('base_builder', 9, 'zoe.eth', 'nine contracts')],
  socials: [social('lens', 'zoe')],
})

/** A server that signs, whose passports are scored by the built-in rules. */
export async function serveScored(
  options: Parameters<typeof serveTest>[1] = SIGNED,
  records: readonly PassportRecord[] = [zoe],
) {
  const server = await serveRecords(options, records)
  await adoptRules(scorerOf(server.store))
  await scoreNow(server.store)
  return server
}
