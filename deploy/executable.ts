/**
 * Builds passportd as a single executable without Node or Bun, for this machine or for the given targets.
 *
 *   npm run build                          dist/passportd
 *   npm run build -- linux-x64 ...         dist/passportd-linux-x64 ...; "all" for all of them
 */
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const ENTRY_POINTS = [
  'src/cli/main.ts',
  'src/serve/server-thread.ts',
  'src/serve/search-thread.ts',
  'src/serve/picture-thread.ts',
  'src/serve/writer-thread.ts',
  'src/serve/check-thread.ts',
  'src/serve/backup-thread.ts',
]
const TARGETS = ['linux-arm64', 'linux-x64', 'darwin-arm64', 'darwin-x64']

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

async function build(target: string | undefined): Promise<string> {
  const file = join('dist', target === undefined ? 'passportd' : `passportd-${target}`)
  const { success, logs } = await Bun.build({
    // Each thread has its own entry point.
    entrypoints: ENTRY_POINTS.map((path) => join(ROOT, path)),
    minify: true,
    compile: {
      outfile: join(ROOT, file),
      ...(target !== undefined && { target: `bun-${target}` as Bun.Build.CompileTarget }),
      // package.json has the same flag.
      execArgv: ['--smol'],
      // A bunfig.toml in the working directory could otherwise execute code.
      autoloadBunfig: false,
      // src/cli/main.ts reads .env itself, because Bun would expand "$" in values.
      autoloadDotenv: false,
    },
    throw: false,
  })
  if (!success) fail(logs.join('\n'))
  return file
}

const named = process.argv.slice(2)
const unknown = named.find((name) => name !== 'all' && !TARGETS.includes(name))
if (unknown !== undefined) fail(`Unknown target "${unknown}". Use ${TARGETS.join(', ')} or all.`)
const targets = named.includes('all') ? TARGETS : named.length > 0 ? named : [undefined]
for (const target of targets) process.stdout.write(`${await build(target)}\n`)
