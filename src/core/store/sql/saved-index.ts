import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { defineData } from '../data.ts'
import { type Connection, listColumn } from './connection.ts'

/** The first row of a copy is not a chunk: it says whether the copy is complete. */
const WRITING = 'writing'
const COMPLETE = 'complete'

/** Copies of the index in chunks, so that a start need not build it. Several nodes may write a copy at a time. */
export const SAVED_INDEX = defineData({
  name: 'saved-index',
  tables: ['saved_index'],
  open: ({ read, transaction }) => ({
    /** Ends early if the copy is replaced meanwhile, or damaged. */
    async *read(): AsyncGenerator<Uint8Array, void> {
      const list = (text: string, values: unknown[]) => listColumn<string>(read.query, text, values)
      const [copy] = await list('select copy from saved_index where position = 0 and chunk = $1', [COMPLETE])
      for (let position = 1; copy !== undefined; position++) {
        const chunks = 'select chunk from saved_index where copy = $1 and position = $2'
        const [chunk] = await list(chunks, [copy, position])
        const bytes = chunk === undefined ? undefined : decode(chunk)
        if (!bytes) return
        yield bytes
      }
    },

    /** Writes each chunk in its own transaction. Returns whether the copy is complete: a removal of people ends it. */
    async write(list: () => Promise<Iterable<Uint8Array>>): Promise<boolean> {
      const copy = crypto.randomUUID()
      const insert = (tx: Connection, position: number, chunk: string) =>
        tx.insertRows('saved_index', [{ copy, position, chunk }])
      /** Returns false if a removal has deleted the copy. None does before the end of the transaction. */
      const changeCopy = (change: (tx: Connection) => Promise<unknown>) =>
        transaction(async (tx) => {
          const rows = await tx.query(
            'select 1 as one from saved_index where copy = $1 and position = 0 LOCK',
            [copy],
          )
          if (rows.length > 0) await change(tx)
          return rows.length > 0
        })
      await transaction((tx) => insert(tx, 0, WRITING))
      let position = 0
      for (const bytes of await list()) {
        const chunk = (await compress(bytes, COMPRESSION)).toString('base64')
        position++
        const isKept = await changeCopy((tx) => insert(tx, position, chunk))
        if (!isKept) return false
      }
      return changeCopy(async (tx) => {
        await tx.query('delete from saved_index where copy <> $1', [copy])
        await tx.query('update saved_index set chunk = $2 where copy = $1 and position = 0', [copy, COMPLETE])
      })
    },
  }),
})

const compress = promisify(zstdCompress)

/** Decompressing fails if a byte of a chunk is damaged. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } }

function decode(chunk: string): Uint8Array | undefined {
  try {
    return Bun.zstdDecompressSync(Uint8Array.fromBase64(chunk))
  } catch {
    // A damaged chunk is like a missing one: the index is built.
    return undefined
  }
}

/** Deletes all copies, also those that are being written, because they have names of people. */
export async function deleteSavedIndex({ query }: Connection): Promise<void> {
  // Waits for the transactions of those that are being written. The next statement then sees their last chunk.
  await query('select copy from saved_index where position = 0 LOCK')
  await query('delete from saved_index')
}
