import { INCLUDES, PATHS } from '../../../src/core/api/parameters.ts'
import { EVENT_TYPES } from '../../../src/core/history/event.ts'
import { GROUP_FIELDS, MOVERS_SORTS, SORT_FIELDS } from '../../../src/core/lists/list-request.ts'

/** The names that options of v3 accept. For the package, build-option-names.ts replaces the lists by literals. */
export const NAMES = {
  include: INCLUDES,
  select: PATHS,
  types: EVENT_TYPES,
  sort: SORT_FIELDS,
  movers: MOVERS_SORTS,
  groupBy: GROUP_FIELDS,
} as const
