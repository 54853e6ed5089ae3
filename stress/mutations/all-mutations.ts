import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACCESS_MUTATIONS } from './access.ts'
import { BOUND_MUTATIONS } from './bounds.ts'
import { FILE_MUTATIONS } from './files.ts'
import { HISTORY_MUTATIONS } from './history.ts'
import { LIST_MUTATIONS } from './lists.ts'
import type { Mutation } from './mutation.ts'
import { RECORD_MUTATIONS } from './records.ts'
import { RESPONSE_MUTATIONS } from './responses.ts'
import { WEBHOOK_MUTATIONS } from './webhooks.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...ACCESS_MUTATIONS,
  ...RESPONSE_MUTATIONS,
  ...WEBHOOK_MUTATIONS,
  ...BOUND_MUTATIONS,
  ...HISTORY_MUTATIONS,
  ...LIST_MUTATIONS,
  ...RECORD_MUTATIONS,
  ...FILE_MUTATIONS,
]

/** A mutation is outdated unless its file contains the text exactly once. */
export const isOutdated = (root: string, { file, from }: Mutation): boolean =>
  readFileSync(join(root, file), 'utf8').split(from).length !== 2
