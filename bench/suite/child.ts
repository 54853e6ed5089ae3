/** Starts a program and waits for the first line it prints. It is killed at the end of the block. */
export async function startChild(command: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  endWithUs(child)
  let line = ''
  for await (const chunk of child.stdout) {
    line += new TextDecoder().decode(chunk)
    if (line.includes('\n')) break
  }
  if (!line.includes('\n')) throw new Error(`${command.join(' ')} did not start`)
  return {
    line: line.trim(),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** A server that is left behind would disturb all that is measured later. */
export function endWithUs(child: Bun.Subprocess): void {
  process.on('exit', () => child.kill('SIGKILL'))
}
