import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/** Chooses memory if enough is free: a new PostgreSQL database takes 10 ms there, and 150 ms on a slow disk. */
function findPlace(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
}

/** A new temporary folder, which is removed at the end of the block. */
export function tempFolder() {
  const path = mkdtempSync(join(findPlace(), 'passportd-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const EVIL_PATHS =
  '{"compilerOptions":{"baseUrl":".","paths":{"*":["./evil.ts"]},"jsxImportSource":"./evil.ts"}}'
const EVIL_PACKAGE = '{"name":"typebox","exports":{".":"./evil.ts","./*":"./evil.ts"},"main":"./evil.ts"}'
const EVIL = 'process.exit(7)\n'

/** The names and texts of files by which Bun, or a setting, runs evil.ts of the folder. */
const HOSTILE_FILES = {
  'evil.ts': EVIL,
  'bunfig.toml': 'preload = ["./evil.ts"]\n',
  'tsconfig.json': EVIL_PATHS,
  'jsconfig.json': EVIL_PATHS,
  'package.json':
    '{"imports":{"#*":"./evil.ts"},"browser":{"typebox":"./evil.ts"},"bun":{"preload":"./evil.ts"}}',
  'bun.lock': '{}',
  '.npmrc': 'registry=http://127.0.0.1:1\n',
  '.env': `BUN_OPTIONS=--preload=./evil.ts
BUN_INSPECT_PRELOAD=./evil.ts
NODE_OPTIONS=--require=./evil.ts
BUN_RUNTIME_TRANSPILER_CACHE_PATH=./cache
NODE_TLS_REJECT_UNAUTHORIZED=0
HTTPS_PROXY=http://127.0.0.1:1
BUN_CONFIG_VERBOSE_FETCH=curl
`,
  'node_modules/typebox/package.json': EVIL_PACKAGE,
  'node_modules/typebox/evil.ts': EVIL,
  'node_modules/bun/package.json': EVIL_PACKAGE,
  'node_modules/bun/evil.ts': EVIL,
}

/** A folder in which somebody left every kind of file by which Bun runs code of its working directory. */
export function hostileFolder() {
  const folder = tempFolder()
  writeHostileFiles(folder.path)
  return folder
}

/** Returns the names in the folder. */
export function writeHostileFiles(folder: string): string[] {
  for (const [name, text] of Object.entries(HOSTILE_FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return readdirSync(folder)
}
