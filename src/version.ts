import { version } from '../package.json'

export const VERSION: string = version

/** The command line before the name of a command. */
export const PROGRAM: string = Bun.isStandaloneExecutable ? process.execPath : 'npm run -s passportd --'
