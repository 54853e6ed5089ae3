import { VERSION } from '../../core/basics/version.ts'
import { defineCommand } from '../../core/cli/command.ts'

export const openApi = defineCommand({
  name: 'openapi',
  summary: 'print the OpenAPI 3.1 document of the service',
  options: {},
  forms: [{}],
  examples: ['passportd openapi > openapi.json'],
  async run(_, terminal) {
    const { createReference } = await import('./routes.ts')
    terminal.out(`${JSON.stringify(createReference(VERSION).createDocument(), null, 2)}\n`)
  },
})
