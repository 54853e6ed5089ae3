import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isOutdated, MUTATIONS } from './all-mutations.ts'
import type { Mutation } from './mutation.ts'

const HELP = `npx bun stress/mutations/main.ts [part of a name]

Changes important lines of source one by one, in a copy of this checkout, and runs the tests of their subject: they must
fail. The exit code is 1 if the tests pass after a change, or if a text of the list is not in its file exactly once.`

const ROOT = join(import.meta.dir, '../..')

/** A mutation can make a test hang, so the tests are killed after this many times their normal duration. */
const SLOWER = 20
const LEAST_MILLISECONDS = 60_000
const LONGEST_MILLISECONDS = 600_000

const [part = ''] = Bun.argv.slice(2)
if (part.startsWith('-')) {
  console.log(HELP)
  process.exit(part === '-h' || part === '--help' ? 0 : 2)
}
const chosen = MUTATIONS.filter(({ name }) => name.includes(part))
if (chosen.length === 0) exit(2, `No mutation has "${part}" in its name.`)
const outdated = MUTATIONS.filter((mutation) => isOutdated(ROOT, mutation))
if (outdated.length > 0)
  exit(1, outdated.map(({ name, file }) => `${name}: its text is not in ${file} exactly once.`).join('\n'))

const folder = mkdtempSync(join(tmpdir(), 'passportd-mutations-'))
/** The duration of the tests without a mutation. The key is the arguments of the test run. */
const times = new Map<string, number>()
const survivors: Mutation[] = []
try {
  copyCheckout()
  for (const mutation of chosen) if (!(await isDetected(mutation))) survivors.push(mutation)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${chosen.length - survivors.length} of ${chosen.length} changes made a test fail.`)
for (const { name, file, from } of survivors) console.log(`SURVIVED ${name}\n  ${file}: ${from.trim()}`)
process.exit(survivors.length === 0 ? 0 : 1)

function copyCheckout(): void {
  const list = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  })
  const copied = Bun.spawnSync(['xargs', '-0', 'cp', '--parents', '-t', folder], {
    cwd: ROOT,
    stdin: list.stdout,
  })
  if (!copied.success) throw new Error(`The checkout cannot be copied: ${copied.stderr}`)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/** Returns whether the tests fail with the mutation. They must pass without it. */
async function isDetected(mutation: Mutation): Promise<boolean> {
  const { name, file, from, to } = mutation
  const allowed = Math.max(LEAST_MILLISECONDS, SLOWER * (await timeWithout(mutation)))
  const source = readFileSync(join(folder, file), 'utf8')
  writeFileSync(
    join(folder, file),
    source.replace(from, () => to),
  )
  const { isPassed, milliseconds } = await runTests(mutation, allowed)
  writeFileSync(join(folder, file), source)
  console.log(
    `${isPassed ? 'SURVIVED' : 'detected'} ${(milliseconds / 1000).toFixed(1).padStart(5)} s  ${name}`,
  )
  return !isPassed
}

async function timeWithout(mutation: Mutation): Promise<number> {
  const key = argumentsOf(mutation).join(' ')
  const known = times.get(key)
  if (known !== undefined) return known
  const { isPassed, milliseconds, output } = await runTests(mutation, LONGEST_MILLISECONDS)
  if (!isPassed) throw new Error(`The tests fail without a change: bun ${key}\n${output}`)
  times.set(key, milliseconds)
  return milliseconds
}

function argumentsOf({ tests, title }: Mutation): string[] {
  return ['test', '--bail', '--timeout=600000', ...(title === undefined ? [] : ['-t', title]), ...tests]
}

async function runTests(mutation: Mutation, timeout: number) {
  const begin = performance.now()
  // The tests run in their own process group, so that the processes they start are killed, too.
  const child = spawn(process.execPath, argumentsOf(mutation), {
    cwd: folder,
    detached: true,
    env: { ...process.env, ENGINES: 'all' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), timeout)
  const [output, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  clearTimeout(timer)
  return { isPassed: code === 0, milliseconds: performance.now() - begin, output }
}

function exit(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
