/** Prints src/option-names.ts with literals in place of imports, so that the package needs no dependency. `npm pack` runs it. */
import { NAMES } from './src/option-names.ts'

process.stdout.write(`export const NAMES = ${JSON.stringify(NAMES)} as const`)
