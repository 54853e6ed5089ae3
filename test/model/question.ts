import type { Answer } from './answers.ts'
import type { Service, Stored } from './service.ts'

/** The id is that of the passport that a path names, if it names one by id. */
export type Question = [path: string, answer: Answer, id?: number | undefined]

/** The responses of a frozen version of the API. */
export type VersionModel = {
  /** `key` is the id or a wallet of a passport, or of none. */
  ofPassport(service: Service, key: string, stored: Stored | undefined): Question[]
  ofPages(service: Service): Question[]
}
