export { COMMANDS } from '../../../src/commands.ts'
export { PROGRAM, VERSION } from '../../../src/core/basics/version.ts'
export { loadCommands } from '../../../src/core/cli/run-command.ts'
