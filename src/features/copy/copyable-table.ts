export type CopyableTable = {
  name: string
  /** The items after the key `after`, up to and including the key `until`. */
  list(range: CopyRange & { limit?: number }): Promise<CopyItem[]>
  /** Replaces all items in the range. */
  replace(range: CopyRange, items: readonly CopyItem[]): Promise<void>
}

export type CopyKey = readonly (string | number)[]
export type CopyRange = { after?: CopyKey | undefined; until?: CopyKey | undefined }

/** `value` is JSON, the same on every engine. */
export type CopyItem = { key: CopyKey; value: unknown }
