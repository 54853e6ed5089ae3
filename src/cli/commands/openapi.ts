import { VERSION } from '../../version.ts'
import { defineCommand } from '../command.ts'

export const openApi = defineCommand({
  name: 'openapi',
  summary: 'print the OpenAPI document of the service',
  options: {},
  forms: [{}],
  examples: ['passportd openapi > openapi.json'],
  async run(_, terminal) {
    const { createOpenApi } = await import('../../api/openapi.ts')
    terminal.out(`${JSON.stringify(createOpenApi(VERSION), null, 2)}\n`)
  },
})
