import { createOpenApi } from '../../api/openapi.ts'
import { VERSION } from '../../version.ts'
import { OPENAPI_HELP } from '../command-help.ts'
import type { Terminal } from '../terminal.ts'
import { HELP_OPTION, parseOptions, refuseExtra } from '../usage.ts'

export function openApi(args: string[], terminal: Terminal): void {
  const { values, positionals } = parseOptions('openapi', args, HELP_OPTION)
  refuseExtra('openapi', positionals)
  terminal.out(values.help ? OPENAPI_HELP : `${JSON.stringify(createOpenApi(VERSION), null, 2)}\n`)
}
