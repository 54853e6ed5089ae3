/**
 * Writes a release to dist/: packages of the server and the clients, executables, the files of deploy/ (systemd unit, alerts,
 * dashboard, proxies, manifests), a software bill of materials (SBOM), release notes and checksums. The Python client needs a Python 3 with "build" and "setuptools".
 *
 *   npm run release
 *   PYTHON=/usr/bin/python3 npm run release
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import manifest from '../package.json'
import lock from '../package-lock.json'
import { buildExecutable, TARGETS } from './executable.ts'

const ROOT = join(import.meta.dir, '..')
const DIST = join(ROOT, 'dist')

const PYTHON = process.env.PYTHON ?? 'python3'

/** Checked first, because the other files take minutes. */
async function checkPython(): Promise<void> {
  const { exitCode } = await $`${PYTHON} -c ${'import build, setuptools'}`.quiet().nothrow()
  if (exitCode === 0) return
  const advice =
    'On Debian: apt-get install python3-build python3-setuptools python3-wheel, and PYTHON=/usr/bin/python3.'
  process.stderr.write(
    `${PYTHON} lacks the modules build and setuptools, which pack the Python client. ${advice}\n`,
  )
  process.exit(1)
}

async function release(): Promise<void> {
  await checkPython()
  rmSync(DIST, { recursive: true, force: true })
  mkdirSync(DIST)
  await $`npm pack --pack-destination dist --workspaces`.cwd(ROOT).quiet()
  await packServer(DIST)
  await $`${PYTHON} -m build --no-isolation --outdir dist packages/python`.cwd(ROOT).quiet()
  // For those who install an executable; the package of the server has the same files.
  const files = manifest.files.filter((path) => path.startsWith('deploy/'))
  await $`tar -czf dist/passportd-${manifest.version}-deploy.tar.gz ${files.map((path) => ({ raw: path }))}`.cwd(
    ROOT,
  )
  for (const target of TARGETS) await buildExecutable(target)
  writeFileSync(join(DIST, 'sbom.cdx.json'), await createSbom())
  writeFileSync(join(DIST, 'RELEASE.md'), releaseNotes(await Bun.file(join(ROOT, 'CHANGELOG.md')).text()))
  writeFileSync(join(DIST, 'SHA256SUMS'), await checksums(DIST))
  for (const name of readdirSync(DIST)) process.stdout.write(`dist/${name}\n`)
}

/**
 * Packs the server with the lockfile, so that "npm ci" in the unpacked package checks the hash of every dependency.
 * npm packs a lockfile only under this name, under which it must not stay in the clone.
 */
export async function packServer(folder: string): Promise<string> {
  const copy = join(ROOT, 'npm-shrinkwrap.json')
  try {
    copyFileSync(join(ROOT, 'package-lock.json'), copy)
    const [packed] = await $`npm pack --json --pack-destination ${folder}`.cwd(ROOT).quiet().json()
    return join(folder, packed.filename)
  } finally {
    rmSync(copy, { force: true })
  }
}

type Lock = { packages: Record<string, { dev?: boolean; link?: boolean }> }

/**
 * Returns a CycloneDX document of the production packages. "npm sbom --omit dev" would leave out packages that
 * development needs too, and runtimes of other systems: so npm reads a lockfile without development packages.
 */
export async function createSbom(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'passportd-'))
  // npm takes the name of the folder as the name of the application.
  const copy = join(folder, manifest.name)
  const root = { ...manifest, devDependencies: {}, workspaces: [] }
  const { packages, ...rest } = lock as Lock
  const kept = Object.entries(packages).filter(
    ([path, { dev, link }]) => !dev && !link && path.startsWith('node_modules/'),
  )
  try {
    mkdirSync(copy)
    writeFileSync(join(copy, 'package.json'), JSON.stringify(root))
    const production = { ...rest, packages: { '': root, ...Object.fromEntries(kept) } }
    writeFileSync(join(copy, 'package-lock.json'), JSON.stringify(production))
    const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
    return await $`npm sbom ${options}`.cwd(copy).quiet().text()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the first section of the changelog, without its title. */
export const releaseNotes = (changelog: string): string =>
  `${changelog.split(/^## .*\n/m)[1]?.trim() ?? ''}\n`

/** Returns the file that "sha256sum --check" reads. */
export async function checksums(folder: string): Promise<string> {
  const lines = readdirSync(folder)
    .toSorted()
    .map(async (name) => {
      const hash = new Bun.CryptoHasher('sha256')
      for await (const chunk of Bun.file(join(folder, name)).stream()) hash.update(chunk)
      return `${hash.digest('hex')}  ${name}\n`
    })
  return (await Promise.all(lines)).join('')
}

if (import.meta.main) await release()
