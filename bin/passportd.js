#!/usr/bin/env node
// The installed command: Node starts the Bun of this package's dependency, so that users need only Node.
import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { constants, devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

// Bun must run no code of the working directory, its parents, or a registry. The scripts of package.json have the same flags.
const FLAGS = [
  '--smol',
  `--config=${devNull}`,
  `--tsconfig-override=${devNull}`,
  '--no-env-file',
  '--no-install',
]

// Bun must run no code of its cache, which other users can write if HOME or XDG_CACHE_HOME is theirs or empty.
const ENV = { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' }

// Without install scripts, bun/bin/bun.exe is a short text that says so.
const SMALLEST_BINARY = 1_000_000

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']

// npx starts this process through a shell. A signal to npx ends the shell, which does not pass it on.
const isFromNpx = process.env.npm_command === 'exec'

/**
 * The binary in the package bun, or that of its platform package if install scripts are off. Neither NODE_PATH nor a
 * folder of the user is searched, and only packages beside bun, of this system and of its version, are accepted.
 */
function findBun() {
  const manifest = find('bun/package.json')
  if (manifest === undefined) return undefined
  const { version, optionalDependencies = {} } = readJson(manifest)
  const folder = dirname(manifest)
  const os = { win32: 'windows', android: 'linux' }[process.platform] ?? process.platform
  const system = `@oven/bun-${os}-${process.arch.replace('arm64', 'aarch64')}`
  const platforms = Object.keys(optionalDependencies)
    .filter((name) => `${name}-`.startsWith(`${system}-`))
    .flatMap((name) => [join(folder, '..', name), join(folder, 'node_modules', name)])
    .filter((path) => readJson(join(path, 'package.json')).version === version)
  const binaries = platforms.flatMap((path) => [join(path, 'bin/bun'), join(path, 'bin/bun.exe')])
  return [join(folder, 'bin/bun.exe'), ...binaries].find(isBinary)
}

/** Only looks in folders node_modules of this package and of the folders above it. */
function find(name) {
  try {
    return fileURLToPath(import.meta.resolve(name))
  } catch {
    return undefined
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

const isBinary = (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= SMALLEST_BINARY

/** Runs Bun as a child process: passes on signals, and ends as the child ends. */
function runChild(bun, args) {
  // Handled before the start: a signal to this process must never leave the child running.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  // Without a listener, Node opens a debugger on this signal, to which every local user can connect.
  process.on('SIGUSR1', () => {})
  const child = spawn(bun, args, { stdio: 'inherit', env: ENV })
  if (isFromNpx) endWithParent(child)
  child.on('error', (error) => fail(`Cannot start ${bun}: ${error.message}.`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** Stops the child when the parent of this process has ended. */
function endWithParent(child) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    child.kill('SIGTERM')
  }, 200)
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
if (process.execve && process.platform !== 'win32' && !isFromNpx) process.execve(bun, [bun, ...args], ENV)
else runChild(bun, args)
