import { resolve } from 'node:path'
import { count } from '../../../domain/text/counts-and-sizes.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { readKeyFile, rotateKeyFile } from '../../signing-key-file.ts'
import { formatTable } from '../../table.ts'

export const signing = defineCommand({
  name: 'signing',
  summary: 'create, replace and list the keys that sign snapshots of scores',
  description: `The file has the private key of the active key, and only the public keys of earlier ones, which verify older
    signatures. Keep it out of backups that others can read. docs/operate.md describes the setting SIGNING_KEYS_FILE.`,
  options: JSON_OPTION,
  forms: [
    {
      action: 'rotate',
      args: 'FILE',
      options: [],
      about: 'creates the file with a new key, or makes a new key the active one',
    },
    { action: 'list', args: 'FILE', about: 'lists the public keys, the active one first' },
  ],
  examples: ['passportd signing rotate signing-keys.json'],
  run({ values, args: [file = ''], action }, terminal) {
    if (action === 'rotate') {
      const { active, listed } = rotateKeyFile(file, terminal.now())
      const earlier = listed.length - 1
      terminal.out(
        `${file} has the new active key ${active.kid}${earlier > 0 ? ` and ${count(earlier, 'earlier public key')}` : ''}.\n`,
      )
      terminal.err(
        `Set SIGNING_KEYS_FILE=${resolve(file)} and restart all nodes: they read it at the start.\n`,
      )
      return
    }
    const { active, listed } = readKeyFile(file)
    const rows = listed.map(({ kid, x }) => ({ kid, active: kid === active.kid, public_key: x }))
    if (values.json) return terminal.out(`${JSON.stringify(rows)}\n`)
    const cells = rows.map((each) => [each.kid, each.active ? 'active' : '', each.public_key])
    terminal.out(formatTable([['KEY', 'STATE', 'PUBLIC KEY'], ...cells]))
  },
})
