/** The parts of an OpenAPI document that the reference page shows. */
export type ReferenceDocument = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Record<string, PathItem>
  components: { schemas: Record<string, unknown> }
}

type PathItem = { parameters?: readonly unknown[] } & Partial<Record<Method, unknown>>

/** Preflights are left out. */
const METHODS = ['get', 'post', 'query'] as const

type Method = (typeof METHODS)[number]

type Content = Record<string, { schema: Schema; example?: unknown }>

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: object[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  required?: boolean
  schema: Schema
  example?: string
}

export type Schema = {
  $ref?: string
  type?: string
  format?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly string[]
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

/** Methods with the same summary are one endpoint, described by the operation of the first. */
export type Endpoint = { path: string; methods: Method[]; operation: Operation; parameters: Parameter[] }

/** The versions of the API in the document, oldest first. */
export const versionsOf = ({ tags }: Pick<ReferenceDocument, 'tags'>): string[] =>
  tags.map(({ name }) => name).filter((name) => /^v\d/i.test(name))

/** The page of the first version has the address of the reference. */
export const referencePath = (versions: readonly string[], version: string): string =>
  version === versions[0] ? '/reference' : `/reference/${version.toLowerCase()}`

export const endpointsOf = ({ paths }: ReferenceDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) => toEndpoints(path, item))

function toEndpoints(path: string, item: PathItem): Endpoint[] {
  const shared = (item.parameters ?? []) as Parameter[]
  const operations = METHODS.filter((method) => item[method]).map((method) => ({
    method,
    operation: item[method] as Operation,
  }))
  const groups = Map.groupBy(operations, ({ operation }) => operation.summary)
  return [...groups.values()].flatMap((group) => {
    const operation = group[0]?.operation
    if (!operation) return []
    // Headers have no form field; references are headers common to all endpoints.
    const parameters = [...shared, ...(operation.parameters ?? [])]
      .filter((each) => 'name' in each)
      .filter((each) => each.in !== 'header')
    return [{ path, methods: group.map(({ method }) => method), operation, parameters }]
  })
}
