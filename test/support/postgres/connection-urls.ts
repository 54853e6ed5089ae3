import { expect } from 'bun:test'
import { SQL } from 'bun'
import { openPostgres } from '../../../src/core/store/database/postgres/open.ts'

export const connect = (url: string) => new SQL(url, { max: 1 })

export function change(address: string, how: (url: URL) => void): string {
  const url = new URL(address)
  how(url)
  return url.href
}

export const withOptions = (url: string, options: string) => `${url}?${options}`

export async function openAndClose(url: string): Promise<void> {
  await (await openPostgres({ url })).database.close()
}

/** Returns the message of the refusal. Checks that neither the error nor its causes contain the password. */
export async function refusalOf(url: string): Promise<string> {
  const error = await openAndClose(url).catch((error: unknown) => error)
  expect(error).toMatchObject({ code: 'unavailable' })
  expect(Bun.inspect(error, { depth: 9 })).not.toContain(new URL(url).password)
  return (error as Error).message
}
