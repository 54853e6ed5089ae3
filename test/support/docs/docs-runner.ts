import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open.ts'
import { COMMAND, resultOf, serveProcess } from '../cli.ts'
import { makeKey } from '../http/keys.ts'
import { serveRecords } from '../http/server.ts'
import { testDatabase } from '../postgres/postgres.ts'
import { saveRecords } from '../store/engines.ts'
import { record } from '../store/records.ts'
import { callHere } from '../terminal.ts'
import type { Example } from './examples.ts'

/** Starts the service on a free port and stops it when it has printed its addresses. */
const SERVE = `
if [ "$1" = serve ]; then
  PORT=0 $COMMAND "$@" > greeting.log 2>&1 & pid=$!
  until grep -q 'Make a key:' greeting.log; do
    kill -0 $pid || { cat greeting.log >&2; exit 1; }
    sleep 0.02
  done
  kill $pid; wait $pid; exit
fi
exec $COMMAND "$@"
`

/** Examples use npm only like this; test/cli/serve/serve.test.ts runs the real npm. */
const NPM = `
[ "$1 $2 $3 $4" = 'run -s passportd --' ] || { echo "npm $*: not supported in examples" >&2; exit 64; }
shift 4
exec passportd "$@"
`

/** Statuses other than 2xx and 3xx are failures. */
const CURLRC = 'fail\nsilent\nshow-error\n'

/** Runs the examples of the pages: with the demo running, and a folder for each page. */
export async function startDocsRunner(home: string, files: readonly Example[]) {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeProgram(join(bin, 'passportd'), `\nCOMMAND='${COMMAND.join(' ')}'${SERVE}`)
  writeProgram(join(bin, 'npm'), NPM)
  await Bun.write(join(home, '.curlrc'), CURLRC)
  const [demo, database] = await Promise.all([serveProcess(['--demo'], { cwd: home }), testDatabase()])
  const people = [record(9), record(12)]
  const { id: keyId } = await addTo(join(home, 'data/passportd.db'), people)
  const { key } = await addTo(join(home, 'data/demo.db'), [])
  const source = await serveRecords({}, people)
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home }

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
      // Dates of a plan must be in the future.
      '2027-': `${new Date().getUTCFullYear() + 1}-`,
    }
    return text.replace(
      new RegExp(Object.keys(replacements).join('|'), 'g'),
      (found) => replacements[found] ?? found,
    )
  }

  async function run(command: readonly string[], folder: string, more = {}): Promise<string> {
    const options = { cwd: folder, env: { ...env, ...more }, stdout: 'pipe', stderr: 'pipe' } as const
    return outputOf(await resultOf(Bun.spawn([...command], options)))
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
      symlinkSync(join(home, 'data/demo.db'), join(folder, 'data/demo.db'))
      symlinkSync(join(import.meta.dir, '../../../node_modules'), join(folder, 'node_modules'))
      copyFileSync(join(home, 'data/passportd.db'), join(folder, 'data/passportd.db'))
      for (const { file, text } of files) if (file) await Bun.write(join(folder, file), adapt(text, folder))
      return folder
    },

    run,

    /** Runs a script. Lines that only call passportd run in this process, which is faster; a shell runs the others. */
    async runScript(script: string, folder: string): Promise<string> {
      let out = ''
      for (const step of stepsOf(script))
        out +=
          typeof step === 'string'
            ? await run(['sh', '-ec', step], folder)
            : outputOf(await callHere(step, { cwd: folder }))
      return out
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([demo, source, database].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

export type DocsRunner = Awaited<ReturnType<typeof startDocsRunner>>

const writeProgram = (path: string, text: string) => writeFileSync(path, `#!/bin/sh${text}`, { mode: 0o755 })

type Ended = { out: string; err: string; code: number }

function outputOf({ out, err, code }: Ended): string {
  if (code !== 0) throw new Error(`exit code ${code}\n${out}${err}`)
  return out
}

const CALL = /^(?:npm run -s passportd --|passportd) (?!serve)((?:[\w./:=@+-]+|"[^"$`\\]*"|\s)+)$/

/** The arguments of passportd, or a script for a shell. What a shell sets is lost at its end. */
function stepsOf(script: string): (string | string[])[] {
  if (/^(export|cd) /m.test(script)) return [script]
  const steps: (string | string[])[] = []
  for (const line of script.split('\n')) {
    const [, words] = CALL.exec(line.replace(/\s+#.*/, '')) ?? []
    const last = steps.at(-1)
    if (words !== undefined)
      steps.push((words.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')))
    else if (typeof last === 'string') steps[steps.length - 1] = `${last}\n${line}`
    else if (line !== '') steps.push(line)
  }
  return steps
}

/** Adds records and a key to a database file. */
async function addTo(path: string, records: Parameters<typeof saveRecords>[1]) {
  const store = await openStore({ engine: 'sqlite', path })
  await saveRecords(store, records)
  const key = await makeKey(store, 1)
  await store.close()
  return key
}
