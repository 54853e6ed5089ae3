import { notFound } from '../domain/errors.ts'
import type { ExplorerOptions, PageHandler } from './page.ts'

export function createCard(_options: ExplorerOptions): PageHandler {
  return () => {
    throw notFound()
  }
}
