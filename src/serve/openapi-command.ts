import { defineCommand } from '../core/cli/command.ts'
import { servingOf } from '../feature.ts'
import { FEATURES } from '../features.ts'

export const openApi = defineCommand({
  name: 'openapi',
  summary: 'print the OpenAPI 3.1 document of the service',
  options: {},
  forms: [{}],
  examples: ['passportd openapi > openapi.json'],
  async run(_, terminal) {
    const { apiOf, createDocument } = await import('./serving.ts')
    const document = createDocument(apiOf(await servingOf(FEATURES)))
    terminal.out(`${JSON.stringify(document, null, 2)}\n`)
  },
})
