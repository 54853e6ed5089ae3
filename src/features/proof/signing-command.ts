import { resolve } from 'node:path'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { defineCommand } from '../../core/cli/command.ts'
import { rotateKeyFile } from './signing-key-file.ts'

export const signing = defineCommand({
  name: 'signing',
  summary: 'create and replace the keys that sign snapshots of scores',
  description: `The file has the private key of the active key, and only the public keys of earlier ones, which verify
    older signatures. Keep it out of backups that others can read. docs/operate.md describes the setting
    SIGNING_KEYS_FILE.`,
  options: {},
  forms: [
    {
      action: 'rotate',
      args: 'FILE',
      about: 'creates the file with a new key, or makes a new key the active one',
    },
  ],
  examples: ['passportd signing rotate signing-keys.json'],
  run({ args: [file = ''] }, terminal) {
    const { active, listed } = rotateKeyFile(file, terminal.now())
    const earlier = listed.length > 1 ? ` and ${count(listed.length - 1, 'earlier public key')}` : ''
    terminal.out(`${file} has the new active key ${active.kid}${earlier}.\n`)
    terminal.err(`Set SIGNING_KEYS_FILE=${resolve(file)} and restart all nodes: they read it at the start.\n`)
  },
})
