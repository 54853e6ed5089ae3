import type { Static, TObject, TSchema } from 'typebox'
import { Check, Convert, Errors } from 'typebox/value'
import { ServiceError } from '../../core/basics/errors.ts'
import { describeUnknown } from '../../core/basics/text/nearest-name.ts'
import type { Config } from '../../core/config/config.ts'
import type { Principal } from '../../core/http/client-identity.ts'
import type { IndexClient } from '../../core/index/calls.ts'
import { describeProblems } from '../../core/passport/validation-problem.ts'
import type { Store } from '../../core/store/store.ts'

export type ToolContext = {
  store: Store
  index: IndexClient
  config: Pick<Config, 'publicUrl' | 'explorer'>
  now: () => number
  /** Who calls the tool. */
  principal: Principal
  /** Counts the call as so many requests. Throws `rate_limited`. */
  charge: (units: number) => void
}

type Declaration<Input extends TObject, Output extends TSchema> = {
  description: string
  inputSchema: Input
  outputSchema: Output
  /** Only principals with a scope that writes have this tool. */
  writes?: true
  /** The number of requests that a call counts as; one by default. */
  units?: (args: Static<Input>) => number
  /** The server sanitizes and truncates the result. */
  call: (args: Static<Input>, context: ToolContext) => Promise<Static<Output> & object>
}

export const defineTool = <Input extends TObject, Output extends TSchema>({
  units,
  ...tool
}: Declaration<Input, Output>) => ({
  ...tool,
  inputSchema: tool.inputSchema as TSchema,
  async call(given: Readonly<Record<string, unknown>>, context: ToolContext): Promise<object> {
    const args = parseArguments(tool.inputSchema, given)
    context.charge(units?.(args) ?? 1)
    return tool.call(args, context)
  },
})

/** Agents send an id as a number and a missing value as null, although the schema says otherwise. */
function parseArguments<T extends TObject>(schema: T, given: Readonly<Record<string, unknown>>): Static<T> {
  const known = Object.keys(schema.properties)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new ServiceError('invalid_request', describeUnknown('argument', unknown, known))
  const present = Object.entries(given).filter(([, value]) => value !== null)
  const args = Convert(schema, Object.fromEntries(present))
  if (Check(schema, args)) return args
  const [problem] = describeProblems(args, Errors(schema, args))
  throw new ServiceError('invalid_request', `${problem?.field} ${problem?.reason}.`)
}
