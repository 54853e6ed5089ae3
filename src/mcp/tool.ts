import type { TSchema } from 'typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { RuleSet } from '../scoring/rules.ts'
import type { Store } from '../store/store.ts'
import type { Arguments } from './arguments.ts'

export type ToolContext = {
  store: Store
  catalog: Catalog
  rules: RuleSet
  config: Pick<Config, 'publicUrl' | 'explorer'>
  now: () => number
}

export type Tool = {
  title: string
  description: string
  inputSchema: TSchema
  outputSchema: TSchema
  call(args: Arguments, sources: ToolContext): Promise<object>
}
