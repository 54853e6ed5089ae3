import type { UsageCount } from '../../domain/usage.ts'

export type UsageRow = Omit<UsageCount, 'key'> & { key_id: string }

export const toUsageRow = ({ key, ...row }: UsageCount): UsageRow => ({ ...row, key_id: key })

export const toUsageCount = ({ key_id, ...row }: UsageRow): UsageCount => ({ ...row, key: key_id })
