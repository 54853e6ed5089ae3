import { LATER_MODEL } from '../features/later/model.ts'
import { V1_MODEL } from '../features/v1/model.ts'
import { V2_MODEL } from '../features/v2/model.ts'
import type { VersionModel } from './question.ts'

export const FROZEN_VERSIONS: readonly VersionModel[] = [V1_MODEL, V2_MODEL, LATER_MODEL]
