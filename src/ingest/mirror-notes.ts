import type { Mirrored } from '../store/store.ts'

/** In place of the ETag of a copy that was merged because the source has merged it. */
export const MERGED = 'merged'

/** Marks the ETags of V2: a source may have the same ETag for both versions. */
const V2_MARK = 'v2 '

export const writeNote = (note: Mirrored, version: 1 | 2): Mirrored =>
  version === 1 ? note : { ...note, passportEtag: V2_MARK + note.passportEtag }

/** `undefined` for a note without ETags of this version. */
export function readNote(note: Mirrored, version: 1 | 2): Mirrored | undefined {
  const { passportEtag } = note
  if (passportEtag === MERGED || passportEtag.startsWith(V2_MARK) !== (version === 2)) return undefined
  return version === 1 ? note : { ...note, passportEtag: passportEtag.slice(V2_MARK.length) }
}
