import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSigningKeys } from '../../../src/core/config/signing-keys.ts'
import type { ApiKey } from '../../../src/core/store/api-key.ts'
import { openStore } from '../../../src/core/store/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { fillWithDemo } from '../../../src/features/demo/fill-with-demo.ts'
import { COMMAND, resultOf } from '../cli.ts'
import { callHere } from '../cli-in-process.ts'
import { makeKey } from '../http/keys.ts'
import { serveRecords } from '../http/server.ts'
import { listenHere } from '../node-without-threads.ts'
import { testDatabase } from '../postgres/postgres.ts'
import { KEYS } from '../proof/snapshots.ts'
import { saveRecords } from '../store/engines.ts'
import { record } from '../store/records.ts'
import { readPage } from './pages.ts'

/**
 * The `passportd` of the examples. `serve` starts on a free port, and is stopped when it has printed its addresses.
 * Commands that read standard input or stream their output get a process, too. Other commands run in the test process.
 */
const PASSPORTD = `
if [ "$1" = serve ]; then
  mkfifo greeting.pipe
  PORT=0 $COMMAND "$@" > greeting.pipe 2>&1 & pid=$!
  exec 3< greeting.pipe; rm greeting.pipe
  sed '/Make a key:/q' <&3 > greeting.log
  grep -q 'Make a key:' greeting.log || { cat greeting.log >&2; exit 1; }
  kill $pid; cat <&3; wait $pid; exit
fi
case " $* " in *' - '* | ' export ') exec $COMMAND "$@" ;; esac
exec $CALL "$@"
`

/** Sends a command to the test process, because a new process would load the whole program. */
const CALL = `
const call = { args: process.argv.slice(2), cwd: process.cwd(), env: process.env }
const response = await fetch('http://commands/', { unix: SOCKET, method: 'POST', body: JSON.stringify(call) })
const { out, err, code } = await response.json()
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code
`

/** Examples use only `npm run -s passportd --`. test/system/serve/serve.test.ts runs the real npm. */
const NPM = `
[ "$1 $2 $3 $4" = 'run -s passportd --' ] || { echo "npm $*: not supported in examples" >&2; exit 64; }
shift 4
exec passportd "$@"
`

/** Makes curl fail on a status of 400 or above. */
const CURLRC = 'fail\nsilent\nshow-error\n'

/** Prepares to run the examples of the pages. Starts the demo, and makes a folder for each page. */
export async function startDocsRunner(home: string, files: readonly Example[]) {
  await using started = new AsyncDisposableStack()
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const [socket, call] = [join(home, 'commands'), join(home, 'call.js')]
  const commands = Bun.serve({
    unix: socket,
    async fetch(request) {
      const { args, ...options } = await request.json()
      return Response.json(await callHere(args, options))
    },
  })
  started.defer(() => commands.stop(true))
  await Bun.write(call, CALL.replace('SOCKET', JSON.stringify(socket)))
  const programs = `COMMAND='${COMMAND.join(' ')}' CALL='${process.execPath} ${call}'`
  writeProgram(join(bin, 'passportd'), `\n${programs}${PASSPORTD}`)
  writeProgram(join(bin, 'npm'), NPM)
  await Bun.write(join(home, '.curlrc'), CURLRC)
  const people = [record(9), record(12)]
  const { id: keyId } = await fill(join(home, 'data/passportd.db'), (store) => saveRecords(store, people))
  const demoFile = join(home, 'data/demo.db')
  const { key } = await fill(demoFile, (store) => fillWithDemo(store, Date.now()), {
    scopes: ['read', 'events', 'write:github'],
    types: ['github'],
  })
  const demo = started.use(
    await listenHere({ DATABASE_URL: `sqlite:${demoFile}`, SIGNING_KEYS: writeSigningKeys(KEYS) }),
  )
  const database = started.use(await testDatabase())
  const source = started.use(await serveRecords({}, people))
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home }
  const running = started.move()

  function adapt(text: string, folder: string): string {
    const replacements: Record<string, string> = {
      'http://127.0.0.1:8080': demo.url,
      'https://passports.example.com': demo.url,
      'https://v1.example.com': source.url.origin,
      'postgres://user:password@host/passportd': database.url,
      '/backups/': `${folder}/backups/`,
      '/var/tmp/': `${folder}/tmp/`,
      '/srv/passportd': folder,
      'npx bun': process.execPath,
      KEY_ID: keyId,
      // The dates of a retirement plan must be in the future.
      '2027-': `${new Date().getUTCFullYear() + 1}-`,
    }
    return text.replace(
      new RegExp(Object.keys(replacements).join('|'), 'g'),
      (found) => replacements[found] ?? found,
    )
  }

  async function run(command: readonly string[], folder: string, more = {}): Promise<string> {
    const options = { cwd: folder, env: { ...env, ...more }, stdout: 'pipe', stderr: 'pipe' } as const
    const { out, err, code } = await resultOf(Bun.spawn([...command], options))
    if (code !== 0) throw new Error(`exit code ${code}\n${out}${err}`)
    return out
  }

  return {
    adapt,
    url: demo.url,
    /** A key of the demo. */
    key,

    /** A folder with the files of the pages, a database, and the demo database. */
    async openFolder(page: string) {
      const folder = join(home, page.replaceAll('/', '-'))
      mkdirSync(join(folder, 'data'), { recursive: true })
      mkdirSync(join(folder, 'backups'))
      symlinkSync(demoFile, join(folder, 'data/demo.db'))
      symlinkSync(join(import.meta.dir, '../../../node_modules'), join(folder, 'node_modules'))
      copyFileSync(join(home, 'data/passportd.db'), join(folder, 'data/passportd.db'))
      for (const { file, text } of files) if (file) await Bun.write(join(folder, file), adapt(text, folder))
      return folder
    },

    run,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

export type DocsRunner = Awaited<ReturnType<typeof startDocsRunner>>

const writeProgram = (path: string, text: string) => writeFileSync(path, `#!/bin/sh${text}`, { mode: 0o755 })

/** Fills a new database file, and adds a key. */
async function fill(path: string, work: (store: Store) => unknown, given: Partial<ApiKey> = {}) {
  const store = await openStore({ engine: 'sqlite', path })
  await work(store)
  const key = await makeKey(store, 1, given)
  await store.database.close()
  return key
}

/** A fenced block of a page. A second word after the language is the name of the file to save the block as. */
export type Example = {
  /** Page, heading, language and, if there are several, a number. */
  name: string
  page: string
  heading: string
  line: number
  language: string
  file: string | undefined
  text: string
}

export const usesPythonClient = (text: string) => /^from passportd_client import/m.test(text)

const FENCE = /^ *```(\S*) ?(.*)$/

export function readExamples(page: string): Example[] {
  const examples: Example[] = []
  let heading = ''
  let open: Example | undefined
  for (const [index, line] of readPage(page).split('\n').entries()) {
    const fence = FENCE.exec(line)
    if (open && fence) {
      examples.push(open)
      open = undefined
    } else if (open) open.text += `${line}\n`
    else if (fence) {
      const [, language = '', file] = fence
      const kind = `${page}: ${heading}: ${language}`
      const earlier = examples.filter(({ name }) => name.startsWith(kind)).length
      const name = earlier === 0 ? kind : `${kind} ${earlier + 1}`
      open = { name, page, heading, line: index + 1, language, file: file || undefined, text: '' }
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return examples
}
