/** How to run a snippet of each language, and the change that makes it print JSON. */
const RUN: Record<string, (code: string) => string[]> = {
  curl: (code) => ['sh', '-c', code],
  JavaScript: (code) => [
    'node',
    '--input-type=module',
    '-e',
    code.replace('console.log(await response.json())', 'console.log(JSON.stringify(await response.json()))'),
  ],
  Python: (code) => [
    'python3',
    '-c',
    `import json\n${code.replace('print(response.json())', 'print(json.dumps(response.json()))')}`,
  ],
}

export const LANGUAGES = Object.keys(RUN)

/** Runs a snippet with the key in its environment and returns the JSON that it prints, without the request id. */
export async function runSnippet(language: string, code: string, key?: string): Promise<unknown> {
  const child = Bun.spawn(RUN[language]?.(code) ?? [], {
    env: { PATH: process.env.PATH, ...(key !== undefined && { KEY: key }) },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${language} failed: ${error}\n${code}`)
  return withoutRequestId(JSON.parse(out))
}

export const withoutRequestId = (body: object) => ({ ...body, request_id: undefined })
