import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPort, until } from '../../test/support/postgres-process.ts'
import { tempFolder } from '../measure.ts'
import type { Answers } from './answers.ts'
import { endWithUs } from './child.ts'

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
  endWithUs(child)
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
