import { parseArgs } from 'node:util'

/** `npm run bench` passes these options to every part; a part ignores those it does not have. */
const SHARED = { passports: 0, rounds: 0, seconds: 0 }

/**
 * Reads options that are whole numbers, flags (`--no-name` switches one off) and texts. Exits with 2 and a message if one
 * is wrong.
 */
export function readOptions<Given extends Record<string, number | boolean | string>>(defaults: Given): Given {
  const options = Object.fromEntries(
    Object.entries({ ...SHARED, ...defaults }).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values } = parseArgs({ allowNegative: true, options })
  const read = Object.entries(defaults).map(([name, value]) => {
    const given = values[name]
    return [
      name,
      typeof value === 'number' && typeof given === 'string' ? parseCount(name, given) : (given ?? value),
    ]
  })
  return Object.fromEntries(read)
}

export function parseCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    refuse(`--${name} got "${text}"; it must be a whole number from 1 to 999999999.`)
  return Number(text)
}

export function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}

/** Exits with 1 and a message if a program is missing. */
export function requireProgram(program: string, debianPackage: string): void {
  if (Bun.which(program)) return
  console.error(`${program} is not installed. On Debian, run: apt-get install ${debianPackage}`)
  process.exit(1)
}
