import { existsSync } from 'node:fs'

/** Programs that tests run if they are installed, with their Debian packages. Names that begin with `python3-` stand for Python with modules. */
const PACKAGES = {
  caddy: 'caddy',
  chromium: 'chromium-headless-shell',
  curl: 'curl',
  etcd: 'etcd-server',
  fish: 'fish',
  haproxy: 'haproxy',
  mypy: 'mypy',
  nginx: 'nginx-light',
  openssl: 'openssl',
  patroni: 'patroni postgresql',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  python3: 'python3',
  'python3-build': 'python3-build python3-pip python3-setuptools python3-wheel',
  'python3-jwcrypto': 'python3-jwcrypto',
  'python3-requests': 'python3-requests',
  script: 'bsdutils',
  setpriv: 'util-linux',
  'systemd-analyze': 'systemd',
  zsh: 'zsh',
}

type Program = keyof typeof PACKAGES

const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  // It has no window, so a page takes less than half of the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const PYTHON_MODULES: Partial<Record<Program, string>> = {
  'python3-build': 'setuptools build pip wheel',
  'python3-jwcrypto': 'jwcrypto',
  'python3-requests': 'requests',
}

/** Fails if a module is missing. An import would take ten times longer. */
const HAS_MODULES =
  'import sys; from importlib.util import find_spec; sys.exit(None in map(find_spec, sys.argv[1].split()))'

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

const exists = (path: string | undefined) => path !== undefined && existsSync(path)

function search(name: Program): string | undefined {
  if (name === 'chromium') return CHROMIUM.find(exists)
  const modules = PYTHON_MODULES[name]
  if (modules !== undefined) {
    const pythons = [search('python3'), '/usr/bin/python3'].filter(exists)
    return pythons.find((path) => Bun.spawnSync([path as string, '-c', HAS_MODULES, modules]).success)
  }
  // Users other than root have no sbin in their PATH.
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined
}

/** `.ci/run` installs the packages that this prints. One is the fast Chromium, even if there is a slow one. */
if (import.meta.main) {
  const names = Object.keys(PACKAGES) as Program[]
  const isMissing = (name: Program) =>
    name === 'chromium' ? !CHROMIUM.slice(0, 2).some(exists) : search(name) === undefined
  const packages = names.filter(isMissing).map((name) => PACKAGES[name])
  process.stdout.write(packages.join(' '))
}
