import { defineCommand } from '../../command.ts'
import { verifyLog } from './verify-log.ts'

export const verify = defineCommand({
  name: 'verify',
  summary: 'check that nobody has changed the event log of a service',
  description: `--log reads all events of the service at URL and computes the head of their hash chain. It must be the head
    that the service names and, if it signs, has signed. Needs a key with the scopes read and events.

    --head also compares with the head that an earlier run stored in FILE, and then stores the new one. Only a stored
    head shows that events were rewritten. A difference ends the command with code 1, and FILE stays as it is.`,
  options: {
    log: { placeholder: 'URL', about: 'base URL of the service' },
    head: { placeholder: 'FILE', about: 'JSON file with the last head; created if it does not exist' },
    key: { placeholder: 'KEY', about: 'sent as X-API-KEY; MIRROR_KEY hides it from the process list' },
  },
  forms: [{ required: ['log'], options: ['head', 'key'] }],
  examples: ['passportd verify --log https://passports.example.com --head head.json'],
  run: ({ values }, terminal) => verifyLog(terminal, values),
})
