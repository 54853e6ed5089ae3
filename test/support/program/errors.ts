import { expect } from 'bun:test'
import type { ErrorCode } from '../../../src/core/basics/errors.ts'

export { ClientGone, FileFaultError, ServiceError } from '../../../src/core/basics/errors.ts'

/** Expects that the work fails with this code. */
export async function expectRefusal(work: unknown, code: ErrorCode): Promise<void> {
  await expect(work).rejects.toMatchObject({ code })
}
