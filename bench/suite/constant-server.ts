/** Answers everything with the same bytes: what Bun's server reaches when nothing is to be done. One port for each answer. */
import { readFileSync } from 'node:fs'

/** Bodies are in base64. */
export type Constant = { status: number; headers: Record<string, string>; body: string }

if (import.meta.main) {
  const answers: Record<string, Constant> = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'))
  const origins = Object.entries(answers).map(([name, answer]) => [name, serve(answer)])
  console.log(JSON.stringify(Object.fromEntries(origins)))
}

function serve({ status, headers, body }: Constant): string {
  const bytes = Buffer.from(body, 'base64')
  const isBare = status === 200 && Object.keys(headers).length === 0
  const init = { status, headers }
  const fetch = isBare
    ? () => new Response(bytes)
    : () => new Response(bytes.length === 0 ? null : bytes, init)
  return Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch }).url.origin
}
