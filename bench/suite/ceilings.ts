import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPort, until } from '../../test/support/postgres-process.ts'
import { tempFolder } from '../measure.ts'
import type { Answered, Answers } from './answers.ts'
import { startChild } from './child.ts'
import type { Constant } from './constant-server.ts'

type Name = keyof Answers

/** Bun's server with the bytes of our answers: without our headers, and with them. */
export async function startConstants(answers: Answers) {
  using folder = tempFolder()
  const path = join(folder.path, 'answers.json')
  const bare = mapAnswers(answers, (answer) => toConstant({ ...answer, headers: {} }))
  const dressed = mapAnswers(answers, toConstant)
  const named = Object.entries(dressed).map(([name, answer]) => [`${name}, headers`, answer])
  writeFileSync(path, JSON.stringify({ ...bare, ...Object.fromEntries(named) }))
  const child = await startChild([process.execPath, join(import.meta.dir, 'constant-server.ts'), path])
  const origins: Record<string, string> = JSON.parse(child.line)
  return Object.assign(child, {
    bare: (name: Name) => origins[name] as string,
    dressed: (name: Name) => origins[`${name}, headers`] as string,
  })
}

const mapAnswers = <T>(answers: Answers, map: (answer: Answered) => T) =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, map(answer)]))

const toConstant = ({ status, headers, body }: Answered): Constant => ({
  status,
  headers,
  body: Buffer.from(body).toString('base64'),
})

/** nginx with the same bytes in files, where it is installed. */
export async function startNginx(answers: Answers) {
  const program = Bun.which('nginx')
  if (!program) return undefined
  const folder = tempFolder()
  const files = join(folder.path, 'files')
  mkdirSync(files)
  for (const [name, { status, body }] of Object.entries(answers)) {
    // Of what a 304 is about.
    writeFileSync(join(files, name), status === 304 ? answers['by-id'].body : body)
  }
  const port = await findPort()
  const config = join(folder.path, 'nginx.conf')
  writeFileSync(config, configOf(folder.path, files, port))
  const child = Bun.spawn([program, '-p', folder.path, '-c', config], { stdout: 'ignore', stderr: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(`${url}/by-id`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'nginx to answer',
  )
  const { headers } = await fetch(`${url}/not-modified`)
  return {
    url,
    pid: child.pid,
    /** Of the file that is asked for with it. */
    tag: headers.get('ETag') ?? '',
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
      folder[Symbol.dispose]()
    },
  }
}

/** One process, nothing logged, files held open. */
const configOf = (folder: string, files: string, port: number) => `daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/errors;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100;
  default_type application/json;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${files};
  }
}
`
