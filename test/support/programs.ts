import { existsSync } from 'node:fs'

/** Programs that tests run if they are installed, with their Debian packages. `python3-requests` stands for Python with the package requests. */
const PACKAGES = {
  caddy: 'caddy',
  chromium: 'chromium',
  curl: 'curl',
  fish: 'fish',
  haproxy: 'haproxy',
  nginx: 'nginx-light',
  openssl: 'openssl',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  python3: 'python3',
  'python3-requests': 'python3-requests',
  'redis-server': 'redis-server',
  script: 'bsdutils',
  setpriv: 'util-linux',
  'systemd-analyze': 'systemd',
  zsh: 'zsh',
}

type Program = keyof typeof PACKAGES

const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const found = new Map<Program, string>()
const missing = new Set<Program>()

/** Whether tests that need these programs can run. With CI=true a missing program is an error: no test is skipped. */
export const hasPrograms = (...names: readonly Program[]): boolean =>
  names.every((name) => findProgram(name) !== undefined)

/** The path of a program. */
export function findProgram(name: Program): string | undefined {
  const path = found.get(name) ?? search(name)
  if (path === undefined) reportMissing(name)
  else found.set(name, path)
  return path
}

function reportMissing(name: Program): void {
  const message = `${name} is not installed (Debian: ${PACKAGES[name]}). Tests that need it are skipped`
  if (process.env.CI === 'true') throw new Error(`${message}, which is an error with CI=true.`)
  if (!missing.has(name)) process.stderr.write(`\n${message}.\n\n`)
  missing.add(name)
}

function search(name: Program): string | undefined {
  if (name === 'chromium') return CHROMIUM.find((path) => path !== undefined && existsSync(path))
  if (name === 'python3-requests') {
    const python = search('python3')
    return python && Bun.spawnSync([python, '-c', 'import requests']).success ? python : undefined
  }
  // Users other than root have no sbin in their PATH.
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined
}

/** `.ci/run` installs the packages that this prints. */
if (import.meta.main) {
  const names = Object.keys(PACKAGES) as Program[]
  const packages = names.filter((name) => search(name) === undefined).map((name) => PACKAGES[name])
  process.stdout.write(packages.join(' '))
}
