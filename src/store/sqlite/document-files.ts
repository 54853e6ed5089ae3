import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hashOf } from '../hash.ts'
import type { Document } from '../store.ts'

export const KINDS = ['passports', 'credentials'] as const
export type Kind = (typeof KINDS)[number]

/** Bodies begin at multiples of this: a number that JavaScript holds exactly names 64 GB of them, and their lengths. */
const STEP = 8
const LENGTHS = 2 ** 20
const LARGEST_START = 2 ** 33 * STEP

/**
 * Bodies of documents, one after the other, in a file beside the database. Of many in one file the system finds any as quickly as
 * of few, which cannot be said of rows of their size. Nothing that the database names is ever changed there: it is read without locks.
 * A generation is a pair of such files, one of each kind, and one of the places in them (document-places.ts).
 */
export function createDocumentFiles(database: string) {
  const prefix = `${database}-documents-`
  const pathOf = (generation: string, kind: Kind | 'places') => `${prefix}${generation}-${kind}`

  return {
    pathOf,

    exist: (generation: string) =>
      generation !== '' && KINDS.every((kind) => existsSync(pathOf(generation, kind))),

    /** Makes the files of a new generation; gives back its name. */
    begin(): string {
      const generation = crypto.randomUUID()
      // As the database: only its owner may read it.
      for (const kind of KINDS) closeSync(openSync(pathOf(generation, kind), 'wx', 0o600))
      return generation
    },

    /** Removes those of all generations but one, or of all. Whoever reads from them has them open, and goes on. */
    clean(generation: string): void {
      const folder = dirname(database)
      const names = readdirSync(folder).filter((name) => name.startsWith(basename(prefix)))
      for (const name of names) {
        if (!name.startsWith(`${basename(prefix)}${generation}-`)) rmSync(join(folder, name), { force: true })
      }
    },

    /** Writes bodies after those that end at `end`, and waits until they are on the disk. */
    append(
      generation: string,
      kind: Kind,
      end: number,
      bodies: readonly Buffer[],
    ): { places: number[]; end: number } {
      const places: number[] = []
      const pieces: Buffer[] = []
      let at = end
      for (const body of bodies) {
        const padding = -body.length & (STEP - 1)
        places.push((at / STEP) * LENGTHS + body.length)
        pieces.push(body, Buffer.alloc(padding))
        at += body.length + padding
      }
      const file = openSync(pathOf(generation, kind), 'r+')
      try {
        writeAll(file, Buffer.concat(pieces), end)
        fdatasyncSync(file)
      } finally {
        closeSync(file)
      }
      return { places, end: at }
    },

    /** They can be made again: where one is damaged, both are removed, and `onDamage` is told. */
    open(generation: string, onDamage: () => void): DocumentFiles {
      const damaged = () => {
        onDamage()
        try {
          for (const kind of KINDS) rmSync(pathOf(generation, kind), { force: true })
        } catch {
          // A disk that is at fault may not be written to.
        }
      }
      const files = new Map<Kind, OpenFile>()
      const close = () => {
        for (const { number } of files.values()) closeSync(number)
      }
      try {
        for (const kind of KINDS)
          files.set(kind, { number: openSync(pathOf(generation, kind), 'r'), onDamage: damaged })
      } catch (error) {
        close()
        throw error
      }
      return {
        generation,
        find: (kind, entry) => new StoredDocument(entry, files.get(kind) as OpenFile),
        close,
      }
    },
  }
}

/** Whether a body of so many bytes can be kept after those that end there. */
export const fits = (length: number, end: number) => length < LENGTHS && end < LARGEST_START

/** The sum of the lengths that places name, in SQL. */
export const LENGTH_OF_PLACE = `place & ${LENGTHS - 1}`

/** What the database knows of a document. */
export type Entry = { place: number; hash: number }

export type DocumentFiles = {
  generation: string
  find(kind: Kind, entry: Entry): Document
  close(): void
}

/** A class: a page of the list has many, and what closures hold would be most of what it leaves behind. */
class StoredDocument implements Document {
  readonly length: number
  readonly hash: number
  private readonly start: number
  private readonly file: OpenFile

  constructor({ place, hash }: Entry, file: OpenFile) {
    this.length = place % LENGTHS
    this.start = ((place - this.length) / LENGTHS) * STEP
    this.hash = hash
    this.file = file
  }

  read(into: Buffer, at: number): boolean {
    const { length, hash, start, file } = this
    try {
      const isWhole = readSync(file.number, into, at, length, start) === length
      if (isWhole && hashOf(into.subarray(at, at + length)) === hash) return true
    } catch {
      // What the disk cannot read is damaged, too.
    }
    file.onDamage()
    return false
  }
}

type OpenFile = { number: number; onDamage: () => void }

export function writeAll(file: number, bytes: Uint8Array, start: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, start + at)
}
