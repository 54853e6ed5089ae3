/** The log entries of a process that are warnings or errors. */
export const readProblems = async (stderr: ReadableStream<Uint8Array>) =>
  problemsIn(await new Response(stderr).text())

export const problemsIn = (log: string) =>
  log
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"level":"info"'))
    .join('\n')

/** Collects the lines of a stream, such as the log of a server. */
export function readLines(stream: ReadableStream<Uint8Array>): string[] {
  const lines: string[] = []
  async function read(): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    }
  }
  void read()
  return lines
}
