/**
 * Builds passportd as a single executable without Node or Bun, for this machine or for the given targets.
 *
 *   npm run build                          dist/passportd
 *   npm run build -- linux-x64 ...         dist/passportd-linux-x64 ...; "all" for all of them
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import lock from '../package-lock.json'
import { FEATURES } from '../src/features.ts'

const ROOT = join(import.meta.dir, '..')
const ENTRY_POINTS = [
  'src/main.ts',
  'src/serve/server-thread.ts',
  'src/serve/index-thread.ts',
  'src/serve/writer-thread.ts',
  'src/serve/damage-thread.ts',
  ...FEATURES.flatMap(({ threads = [] }) => threads.map(({ file }) => `src/${file}`)),
]
export const TARGETS = [
  'linux-arm64',
  'linux-arm64-musl',
  'linux-x64',
  'linux-x64-musl',
  'darwin-arm64',
  'darwin-x64',
  'windows-x64',
]

/** Bundles `file?text` as a text. Bun itself does so only without a bundle, and `file` can also be a module of the bundle. */
const TEXT_PLUGIN: Bun.BunPlugin = {
  name: 'text',
  setup(build) {
    build.onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      namespace: 'text',
    }))
    build.onLoad({ filter: /$/, namespace: 'text' }, async ({ path }) => {
      const text = await Bun.file(path.replace(/\?text$/, '')).text()
      return { contents: `export default ${JSON.stringify(text)}`, loader: 'js' }
    })
  },
}

export async function buildExecutable(target?: string): Promise<string> {
  if (target === undefined) return build(join('dist', 'passportd'), {}, NATIVE)
  const folder = mkdtempSync(join(tmpdir(), 'passportd-'))
  try {
    const file = join('dist', `passportd-${target}${target.startsWith('windows') ? '.exe' : ''}`)
    return await build(file, {
      target: `bun-${target}` as Bun.Build.CompileTarget,
      executablePath: await fetchRuntime(target, folder),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Starts in a quarter of the time. Bytecode of another platform has crashed there. */
const NATIVE = { bytecode: true, format: 'esm' } as const

async function build(
  file: string,
  platform: Bun.CompileBuildOptions,
  options?: typeof NATIVE,
): Promise<string> {
  const { success, logs } = await Bun.build({
    ...options,
    // Each thread has its own entry point.
    entrypoints: ENTRY_POINTS.map((path) => join(ROOT, path)),
    minify: true,
    compile: {
      ...platform,
      outfile: join(ROOT, file),
      // package.json has the same flag.
      execArgv: ['--smol'],
      // A bunfig.toml in the working directory could otherwise execute code.
      autoloadBunfig: false,
      // src/main.ts reads .env itself, because Bun would expand "$" in values.
      autoloadDotenv: false,
    },
    plugins: [TEXT_PLUGIN],
    throw: false,
  })
  if (!success) throw new Error(logs.join('\n'))
  return file
}

/** Returns the name of the npm package with the Bun executable of a target. */
export const runtimePackage = (target: string) => `@oven/bun-${target.replace('arm64', 'aarch64')}`

type Lock = { packages: Record<string, { version?: string; integrity?: string; link?: boolean }> }

/** Bun would download the executable from its own site, without a hash. */
async function fetchRuntime(target: string, folder: string): Promise<string> {
  const name = runtimePackage(target)
  const { version, integrity } = (lock as Lock).packages[`node_modules/${name}`] ?? {}
  const [packed] = await $`npm pack --json --force --pack-destination ${folder} ${name}@${version}`
    .quiet()
    .json()
  if (packed.integrity !== integrity)
    throw new Error(
      `${name}@${version} has the hash ${packed.integrity}; package-lock.json has ${integrity}.`,
    )
  await new Bun.Archive(await Bun.file(join(folder, packed.filename)).bytes()).extract(folder)
  return join(folder, 'package', 'bin', target.startsWith('windows') ? 'bun.exe' : 'bun')
}

if (import.meta.main) {
  const named = process.argv.slice(2)
  const unknown = named.find((name) => name !== 'all' && !TARGETS.includes(name))
  if (unknown !== undefined) {
    process.stderr.write(`Unknown target "${unknown}". Use ${TARGETS.join(', ')} or all.\n`)
    process.exit(1)
  }
  const targets = named.includes('all') ? TARGETS : named.length > 0 ? named : [undefined]
  for (const target of targets) process.stdout.write(`${await buildExecutable(target)}\n`)
}
