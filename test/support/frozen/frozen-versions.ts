import type { PassportRef } from '../../../src/core/passport/passport.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { LATER } from '../../features/later/version.ts'
import { V1 } from '../../features/v1/version.ts'
import { V2 } from '../../features/v2/version.ts'
import type { FrozenVersion } from './frozen-version.ts'

export const FROZEN_VERSIONS: readonly FrozenVersion[] = [V1, V2, LATER]

/** The bodies of all responses of frozen versions about a passport, by name. */
export async function readFrozen(
  store: Store,
  ref: PassportRef,
): Promise<Record<string, string | undefined>> {
  const bodies = await Promise.all(FROZEN_VERSIONS.map((version) => version.readBodies(store, ref)))
  return Object.assign({}, ...bodies)
}

/** The paths of all responses of frozen versions about a passport. */
export const pathsOfFrozen = (key: string | number) => FROZEN_VERSIONS.flatMap(({ paths }) => paths(key))
