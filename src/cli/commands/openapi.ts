import { VERSION } from '../../version.ts'
import { defineCommand } from '../command.ts'

export const openApi = defineCommand({
  name: 'openapi',
  summary: 'print the OpenAPI 3.1 document of the service',
  options: {},
  forms: [{}],
  examples: ['passportd openapi > openapi.json'],
  async run(_, terminal) {
    const { createReference } = await import('../../explorer/reference/reference-routes.ts')
    terminal.out(`${JSON.stringify(createReference(VERSION).documentOf('3.1'), null, 2)}\n`)
  },
})
