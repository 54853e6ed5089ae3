import { readCredential } from '../../domain/record/present.ts'
import type { Store } from '../store.ts'

export const createCredentials = (v3: Store['v3']): Store['credentials'] => ({
  async find(ref) {
    const [found] = await v3.find([ref], { credentials: true })
    if (!found || !('passport' in found)) return undefined
    const { credentials = [], ...passport } = found.passport
    return { passport, credentials: credentials.map(readCredential) }
  },
})
