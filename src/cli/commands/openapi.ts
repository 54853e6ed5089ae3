import { createOpenApi } from '../../api/openapi.ts'
import { VERSION } from '../../version.ts'
import { parseOptions } from '../args.ts'
import type { Terminal } from '../terminal.ts'

export function openApi(args: string[], terminal: Terminal): void {
  parseOptions('openapi', args, {})
  terminal.out(`${JSON.stringify(createOpenApi(VERSION), null, 2)}\n`)
}
