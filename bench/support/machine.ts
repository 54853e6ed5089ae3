import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, release, totalmem } from 'node:os'

/** The machine that runs the bench. */
export function describeMachine() {
  return {
    cores: availableParallelism(),
    processor: `${nameProcessor()} (${arch()})`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${nameSystem()}, Linux ${release().split('-')[0]}`,
    bun: Bun.version,
    date: new Date().toISOString().slice(0, 10),
    /** For a column of a table. */
    short: `${nameProcessor()}, ${arch()}`,
  }
}

export type Machine = ReturnType<typeof describeMachine>

/** /proc/cpuinfo has only the part number of Arm processors. */
const ARM_PARTS: Record<string, string> = {
  '0xd0c': 'Neoverse N1',
  '0xd40': 'Neoverse V1',
  '0xd4f': 'Neoverse V2',
}

function nameProcessor(): string {
  const model = cpus()[0]?.model
  if (model && model !== 'unknown') return model
  const part = /^CPU part\s*: (\w+)/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? ''
  return ARM_PARTS[part] ?? 'unnamed'
}

function nameSystem(): string {
  return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unnamed'
}
