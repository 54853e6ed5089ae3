import type { Terminal } from '../../src/cli/terminal.ts'
import { NOON } from './records.ts'

type Command = (args: string[], terminal: Terminal) => void | Promise<void>

/** Runs a command in this process, with a fixed clock; what goes wrong is thrown. */
export async function runHere(
  command: Command,
  args: readonly string[],
  { env = {}, now = NOON }: { env?: Record<string, string>; now?: number } = {},
): Promise<{ out: string; err: string }> {
  const said = { out: '', err: '' }
  await command([...args], {
    env,
    now: () => now,
    random: (bytes) => new Uint8Array(bytes),
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    log: () => undefined,
    interactive: false,
    columns: () => 80,
  })
  return said
}
