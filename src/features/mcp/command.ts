import { createInterface } from 'node:readline'
import { describeError } from '../../core/basics/errors.ts'
import { createLog } from '../../core/basics/log.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import { DATABASE_OPTIONS, defineCommand } from '../../core/cli/command.ts'
import { MUST_EXIST, openWhole } from '../../core/cli/open-store.ts'
import { shutdownSignal } from '../../core/cli/shutdown-signal.ts'
import { readConfig } from '../../core/config/config.ts'
import { ANONYMOUS_PRINCIPAL } from '../../core/http/client-identity.ts'
import { isScope } from '../../core/store/api-key.ts'
import { SERVE_TIMEOUT } from '../../core/store/open.ts'
import { type Feature, servingOf } from '../../feature.ts'

export const createMcpCommand = (features: readonly Feature[]) =>
  defineCommand({
    name: 'mcp',
    summary: 'serve passports to one agent, over the Model Context Protocol',
    description: `Reads messages from standard input, and writes responses to standard output. The tools only read,
    except write_records, which --write adds. The server stops at the end of its input, or by Ctrl+C or SIGTERM.

The service itself has the same tools over HTTP, at /mcp. docs/mcp.md shows how to configure an agent.`,
    options: {
      write: {
        placeholder: 'ISSUER',
        accepts: 'the name of an issuer, or * for all records',
        parse: (issuer: string) => [`write:${issuer}`].find(isScope),
        about: 'let the agent write data points of this issuer, or with * all records',
      },
      ...DATABASE_OPTIONS,
    },
    forms: [{}],
    examples: [`claude mcp add passportd -- ${PROGRAM} mcp`],
    async run({ values: { write: scope, demo } }, terminal) {
      const config = readConfig(terminal.env, { demo })
      const { log: write, interactive, now } = terminal
      const log = createLog({ write, json: !interactive, now, level: config.logLevel })
      using signal = shutdownSignal(() => terminal.exit(1))
      await using store = await openWhole(config.database, { ...MUST_EXIST, ...SERVE_TIMEOUT })
      const { createLocalService } = await import('./local-service.ts')
      const serving = await servingOf(features)
      const respond = createLocalService(store, {
        routes: serving.flatMap(({ routes = [] }) => routes),
        principal: { ...ANONYMOUS_PRINCIPAL, scopes: ['read', 'events', ...(scope ? [scope] : [])] },
        onError: (error) => log.error(describeError(error)),
        ...{ now, signal },
      })
      // Standard output carries the protocol only.
      for await (const line of createInterface({ input: process.stdin, signal })) {
        const response = line.trim() === '' ? '' : await respond(line)
        if (response !== '') terminal.out(`${response}\n`)
      }
      process.stdin.destroy()
    },
  })
