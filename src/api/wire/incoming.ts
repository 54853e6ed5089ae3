/** The header fields of a request, by name in lower case. One that came more than once has its values joined. */
export type Fields = ReadonlyMap<string, string>

/** A request without its body, which nobody here reads. */
export type Incoming = {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  /** All but `If-None-Match`. The same object for every request of a connection that has the same ones, to the letter. */
  readonly fields: Fields
  readonly ifNoneMatch: string | undefined
  /** How many bytes they took. */
  readonly fieldsLength: number
  /** Of the other end of the connection. */
  readonly address: string
}
