import { randomBytes } from 'node:crypto'
import { describeFailure, runCommand } from '../../src/cli/commands.ts'
import { printableLines } from '../../src/domain/text/format.ts'
import { NOON } from './store/records.ts'

type Options = { env?: Record<string, string>; now?: number }

/** Runs a command in this process, with a fixed clock; what goes wrong is thrown. */
export async function runHere(args: readonly string[], options: Options = {}) {
  const said = { out: '', err: '' }
  await runInto(said, args, options)
  return said
}

/** Runs a command in this process, and ends like the process of one. */
export async function callHere(args: readonly string[], options: Options = {}) {
  const said = { out: '', err: '' }
  try {
    await runInto(said, args, { now: Date.now(), ...options })
    return { ...said, code: 0 }
  } catch (error) {
    const { lines, code } = describeFailure(error)
    for (const line of lines) said.err += `passportd: ${printableLines(line)}\n`
    return { ...said, code }
  }
}

type Said = { out: string; err: string }

async function runInto(said: Said, args: readonly string[], { env = {}, now = NOON }: Options) {
  await runCommand([...args], {
    env,
    now: () => now,
    random: (bytes) => randomBytes(bytes),
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
}
