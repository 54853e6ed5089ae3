export type Value = string | number

/** The values of one field, and their numbers. */
export type Dictionary = {
  /** The values as text, by their numbers. */
  texts: string[]
  /** The same array, or numbers. */
  values: Value[]
  /** Finds the number of a value by the hash of its text. `nextNumbers` leads to the next value with the same hash. */
  byHash: Map<number, number>
  nextNumbers: Map<number, number>
}

export function createDictionary(isNumeric: boolean): Dictionary {
  const texts: string[] = []
  return { texts, values: isNumeric ? [] : texts, byHash: new Map(), nextNumbers: new Map() }
}

/** Unknown outside of the process, so that nobody can write values that all have the same hash. */
export const SEED = crypto.getRandomValues(new Int32Array(1))[0] as number

export const addToHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193)

/** The number of the value `text.slice(first, end)`, which has this hash. A new value is added. */
export const numberAt = (dictionary: Dictionary, hash: number, text: string, first: number, end: number) =>
  findAt(dictionary, hash, text, first, end) ?? addValue(dictionary, hash, text.slice(first, end))

/** Compares in place, because creating strings would take most of the time. */
function findAt(
  { byHash, nextNumbers, texts }: Dictionary,
  hash: number,
  text: string,
  first: number,
  end: number,
): number | undefined {
  let number = byHash.get(hash)
  for (; number !== undefined; number = nextNumbers.get(number)) {
    const known = texts[number] as string
    if (known.length === end - first && text.startsWith(known, first)) return number
  }
  return undefined
}

function addValue({ texts, values, byHash, nextNumbers }: Dictionary, hash: number, text: string): number {
  const number = texts.length
  const before = byHash.get(hash)
  if (before !== undefined) nextNumbers.set(number, before)
  byHash.set(hash, number)
  // A slice would keep the whole text of the passport in memory.
  texts.push(Buffer.from(text).toString())
  if (values !== texts) values.push(Number(text))
  return number
}

export const numberOf = (dictionary: Dictionary, text: string) =>
  numberAt(dictionary, hashOf(text), text, 0, text.length)

/** The number of a value, if any slot has it or had it. */
export function findNumber(dictionary: Dictionary, value: Value): number | undefined {
  const text = String(value)
  return findAt(dictionary, hashOf(text), text, 0, text.length)
}

function hashOf(text: string): number {
  let hash = SEED
  for (let at = 0; at < text.length; at++) hash = addToHash(hash, text.charCodeAt(at))
  return hash
}
