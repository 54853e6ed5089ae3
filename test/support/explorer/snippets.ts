import { expect } from 'bun:test'
import { resultOf } from '../cli.ts'

/** One process runs all snippets of a language. Each snippet prints one line of JSON. */
const RUN: Record<string, (codes: string[]) => string[]> = {
  curl: (codes) => ['sh', '-ec', codes.map((code) => `${code}\necho`).join('\n')],
  JavaScript: (codes) => ['node', '--input-type=module', '-e', codes.map(toImport).join('\n')],
  Python: (codes) => [
    'python3',
    '-c',
    'import json, sys\nfor code in sys.argv[1:]: exec(code, {"json": json})',
    ...codes.map((code) => code.replace('print(response.json())', 'print(json.dumps(response.json()))')),
  ],
}

/** Makes a module of each snippet, so that their variables do not collide. */
function toImport(code: string, at: number): string {
  const printing = code.replace(
    'console.log(await response.json())',
    'console.log(JSON.stringify(await response.json()))',
  )
  return `await import(${JSON.stringify(`data:text/javascript,${encodeURIComponent(printing)}#${at}`)})`
}

export const LANGUAGES = Object.keys(RUN)

/** Runs snippets with the key in their environment and returns the JSON that each prints, without the request id. */
export async function runSnippets(language: string, codes: string[], key?: string): Promise<unknown[]> {
  const env = { PATH: process.env.PATH, ...(key !== undefined && { KEY: key }) }
  const command = RUN[language]?.(codes) ?? []
  const { out, err, code } = await resultOf(Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' }))
  if (code !== 0) throw new Error(`${language} failed: ${err}\n${codes.join('\n')}`)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => withoutRequestId(JSON.parse(line)))
}

/** Returns the paths of the pages of all calls of a version. */
export async function listCalls(
  { get }: { get(path: string): Promise<{ text: string }> },
  version: string,
): Promise<string[]> {
  const { text } = await get(`/reference/${version}`)
  const paths = [...text.matchAll(/<li id="\w+"><a href="([^"]+)"/g)].map(([, path]) => path as string)
  expect(paths.length).toBeGreaterThan(2)
  return paths
}

export const withoutRequestId = (body: object) => ({ ...body, request_id: undefined })
