import { version } from '../package.json'

export const VERSION: string = version

/** The beginning of every command line of this program, up to the name of the command. */
export const PROGRAM: string = Bun.isStandaloneExecutable ? process.execPath : 'npm run -s passportd --'
