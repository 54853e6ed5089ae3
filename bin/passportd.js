#!/usr/bin/env node
// The installed command: Node starts the Bun of this package's dependency, so that users need only Node.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

// The scripts of package.json have the same flags.
const FLAGS = ['--smol', `--config=${devNull}`, '--no-env-file']

// Without install scripts, bun/bin/bun.exe is a short text that says so.
const SMALLEST_BINARY = 1_000_000

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** The binary in the package bun, or that of its platform package if install scripts are off. */
function findBun() {
  const manifest = resolve(createRequire(import.meta.url), 'bun/package.json')
  if (manifest === undefined) return undefined
  const require = createRequire(manifest)
  const platforms = Object.keys(require(manifest).optionalDependencies ?? {})
  // npm installs only the packages of this platform.
  const folders = platforms.map((name) => resolve(require, `${name}/package.json`)).filter(Boolean)
  const binaries = folders.flatMap((path) =>
    ['bun', 'bun.exe'].map((file) => join(dirname(path), 'bin', file)),
  )
  return [join(dirname(manifest), 'bin/bun.exe'), ...binaries].find(isBinary)
}

function resolve(require, name) {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}

const isBinary = (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= SMALLEST_BINARY

/** Runs Bun as a child process: passes on signals, and ends as the child ends. */
function runChild(bun, args) {
  // Handled before the start: a signal to this process must never leave the child running.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  const child = spawn(bun, args, { stdio: 'inherit' })
  child.on('error', (error) => fail(`Cannot start ${bun}: ${error.message}.`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

function fail(message) {
  process.stderr.write(`passportd: ${message}\n`)
  process.exit(1)
}

const bun = findBun()
if (bun === undefined)
  fail(
    `Found no Bun for ${process.platform} ${process.arch} among the installed packages. Install passportd again, without --omit=optional.`,
  )
const args = [...FLAGS, MAIN, ...process.argv.slice(2)]
// Replacing this process leaves nothing between a supervisor and the service. Node 20 and Windows lack it.
if (process.execve && process.platform !== 'win32') process.execve(bun, [bun, ...args], process.env)
else runChild(bun, args)
