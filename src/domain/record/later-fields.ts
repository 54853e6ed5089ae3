import type { Social } from '../passport.ts'
import { MAX_BYTES } from './record-limits.ts'

/** Fields of a record that only V2 shows. Absent ones are unknown. */
export type LaterFields = {
  imageUrl?: string | undefined
  /** Epoch milliseconds. */
  mainWalletChangedAt?: number | undefined
  nominations?: number | undefined
}

/** The stored form; empty if no field is known. */
export function toLaterText({ imageUrl, mainWalletChangedAt, nominations }: LaterFields): string {
  const text = JSON.stringify({ imageUrl, mainWalletChangedAt, nominations })
  return text === '{}' ? '' : text
}

/** Reverses `toLaterText`. */
export const fromLaterText = (text: string): LaterFields => (text === '' ? {} : JSON.parse(text))

/** The fields as V2 shows them: the image is that of the record, or else the first one of the socials. */
export function toShownFields(later: LaterFields, socials: readonly Social[]): LaterFields {
  const images = [later.imageUrl ?? '', ...socials.map(({ imageUrl }) => imageUrl)]
  return { ...later, imageUrl: images.find(isImageUrl) }
}

/** Sources also send paths and `data:` URLs. */
const isImageUrl = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) &&
  URL.canParse(text) &&
  Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES.image_url
