import { createOpenApi } from '../http/openapi.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

export function openApi(terminal: Terminal): void {
  terminal.out(`${JSON.stringify(createOpenApi(VERSION), null, 2)}\n`)
}
