import { runCommand } from '../../src/cli/commands.ts'
import { NOON } from './records.ts'

/** Runs a command in this process, with a fixed clock; what goes wrong is thrown. */
export async function runHere(
  args: readonly string[],
  { env = {}, now = NOON }: { env?: Record<string, string>; now?: number } = {},
): Promise<{ out: string; err: string }> {
  const said = { out: '', err: '' }
  await runCommand([...args], {
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
