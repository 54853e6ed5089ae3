import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGreeting, resultOf } from '../../support/cli.ts'
import { childrenOf } from '../../support/process-info.ts'
import { tempFolder, writeHostileFiles } from '../../support/temp-folder.ts'
import { isRefused } from '../../support/wait-until.ts'

const ROOT = join(import.meta.dir, '../../..')
const { bin, dependencies, scripts, version } = await Bun.file(join(ROOT, 'package.json')).json()
const PATH = process.env.PATH ?? ''

/** Node 20 has no process.execve, so the program is a child process. On a later Node both are tested: deleting the function forces the child process. */
const WITHOUT_EXECVE = ['--import', 'data:text/javascript,delete process.execve']
const hasExecve = Bun.spawnSync(['node', '-p', 'typeof process.execve']).stdout.toString() === 'function\n'
const WAYS: [string, string[]][] = [
  ['as a child process', WITHOUT_EXECVE],
  ...(hasExecve ? [['in place of Node', []] as [string, string[]]] : []),
]

describe('the installed command', () => {
  const folder = tempFolder()
  const project = join(folder.path, 'project')
  let files: string[] = []
  let archive = ''

  beforeAll(async () => {
    const pack = ['npm', 'pack', '--json', '--pack-destination', folder.path]
    const { out, code } = await resultOf(Bun.spawn(pack, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' }))
    expect(code).toBe(0)
    const [packed] = JSON.parse(out)
    // Another test may be packing a release, for which this file exists.
    const paths: string[] = packed.files.map(({ path }: { path: string }) => path)
    files = paths.filter((path) => path !== 'npm-shrinkwrap.json')
    archive = join(folder.path, packed.filename)
    install(project)
    for (const name of Object.keys(dependencies)) link(name, project)
  })

  afterAll(() => folder[Symbol.dispose]())

  /** Unpacks the archive and links the command as npm does, without the dependencies. */
  function install(at: string): void {
    const home = join(at, 'node_modules/passportd')
    mkdirSync(home, { recursive: true })
    expect(Bun.spawnSync(['tar', '-xzf', archive, '--strip-components=1', '-C', home]).exitCode).toBe(0)
    mkdirSync(join(at, 'node_modules/.bin'))
    symlinkSync(join('../passportd', bin.passportd), join(at, 'node_modules/.bin/passportd'))
    writeFileSync(join(at, 'package.json'), '{}')
  }

  function link(name: string, at: string): void {
    mkdirSync(join(at, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(at, 'node_modules', name))
  }

  const commandOf = (at: string) => join(at, 'node_modules/.bin/passportd')

  const start = (command: readonly string[], cwd: string, env = {}) =>
    Bun.spawn([...command], {
      cwd,
      env: { PATH, HOME: folder.path, PORT: '0', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    })

  const run = (command: readonly string[], cwd = project, env = {}) => resultOf(start(command, cwd, env))

  function emptyFolder(): string {
    const path = join(folder.path, `${readdirSync(folder.path).length}`)
    mkdirSync(path)
    return path
  }

  test('the package contains what runs, the docs, the files for deployment, and nothing else', () => {
    const outside = files.filter((file) => !/^(src|docs|deploy)\//.test(file))
    expect(outside.toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/passportd.js',
      'package.json',
      'packages/client/src/errors.ts',
      'packages/client/src/exchange.ts',
    ])
    expect(files.filter((file) => file.startsWith('src/')).length).toBeGreaterThan(200)
  })

  test.each(WAYS)(
    'the command runs Bun %s, keeps its data in the working directory, runs no code of it, and passes on signals',
    async (_, flags) => {
      const cwd = emptyFolder()
      const before = writeHostileFiles(cwd)
      const home = emptyFolder()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        // With an empty XDG_CACHE_HOME, Bun would read its cache from the working directory.
        const env = { HOME: home, ...(signal === 'SIGINT' && { XDG_CACHE_HOME: '' }) }
        const child = start(['node', ...flags, commandOf(project), 'serve'], cwd, env)
        try {
          const greeting = await readGreeting(child.stdout)
          expect(childrenOf(child.pid)).toHaveLength(flags.length === 0 ? 0 : 1)
          expect(greeting).toContain('Make a key:  passportd keys create --name me\n')
          const url = /http:[\d./:]+\d/.exec(greeting)?.[0] as string
          expect(await (await fetch(url)).text()).toContain('passportd import people.jsonl.gz</pre>')
          child.kill('SIGHUP')
          child.kill(signal)
          expect([signal, await child.exited]).toEqual([signal, 0])
          expect(await new Response(child.stderr).text()).toContain('SIGHUP was ignored')
          expect(await isRefused(url)).toBe(true)
        } finally {
          child.kill('SIGKILL')
        }
      }
      expect(readdirSync(cwd).toSorted()).toEqual([...before, 'data'].toSorted())
      expect(readdirSync(home)).toEqual([])
    },
  )

  test('hostile files in a folder above the package, and a signal that starts debuggers, have no effect', async () => {
    const at = emptyFolder()
    writeHostileFiles(at)
    install(join(at, 'project'))
    for (const name of Object.keys(dependencies)) link(name, join(at, 'project'))
    const child = start(['node', ...WITHOUT_EXECVE, commandOf(join(at, 'project')), 'serve'], at)
    await readGreeting(child.stdout)
    child.kill('SIGUSR1')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await new Response(child.stderr).text()).not.toContain('Debugger')
  })

  test.each(WAYS)('the command runs Bun %s, and ends with the exit code of Bun', async (_, flags) => {
    const command = ['node', ...flags, commandOf(project)]
    expect(await run([...command, '--version'])).toEqual({ out: `passportd ${version}\n`, err: '', code: 0 })
    expect(await run([...command, 'keys', 'list'])).toMatchObject({ out: '', code: 1 })
    expect(await run([...command, 'nonsense'])).toMatchObject({ out: '', code: 2 })
  })

  test('the command gives Bun the flags of the npm script, and ends with code 137 if Bun is killed', async () => {
    const child = start(['node', ...WITHOUT_EXECVE, commandOf(project), 'serve'], emptyFolder())
    await readGreeting(child.stdout)
    const [bun = 0, ...others] = childrenOf(child.pid)
    expect(others).toEqual([])
    const args = readFileSync(`/proc/${bun}/cmdline`, 'utf8').split('\0').slice(1)
    const main = join(project, 'node_modules/passportd/src/main.ts')
    const [variable, command] = scripts.passportd.split(' exec ')
    expect(`bun ${args.join(' ').trim()}`).toBe(`${command.replace('src/main.ts', main)} serve`)
    expect(readFileSync(`/proc/${bun}/environ`, 'utf8').split('\0')).toContain(variable)
    process.kill(bun, 'SIGKILL')
    expect(await child.exited).toBe(137)
  })

  test('the server stops when npx is ended, which ends its shell only', async () => {
    const shell = start(['npx', 'passportd', 'serve'], project)
    const greeting = await readGreeting(shell.stdout)
    shell.kill('SIGTERM')
    // The server has the same standard error, which ends with it.
    expect(await new Response(shell.stderr).text()).toContain('"Stopped."')
    expect(await isRefused(/http:[\d./:]+\d/.exec(greeting)?.[0] as string)).toBe(true)
  })

  test('messages name the command as it was started', async () => {
    const help = async (command: string[], cwd: string, env = {}) =>
      /passportd -- (.+) mcp\n/.exec((await run([...command, 'mcp', '--help'], cwd, env)).out)?.[1]
    expect(await help([commandOf(project)], project)).toBe('passportd')
    expect(await help(['npx', 'passportd'], project)).toBe('npx passportd')
    expect(await help(['npm', 'run', '-s', 'passportd', '--'], ROOT)).toBe('npm run -s passportd --')
    // npx writes this into the folder of its cache that has the package.
    writeFileSync(join(project, 'package.json'), '{"_npx":{"packages":["./passportd.tgz"]}}')
    expect(await help(['npx', 'passportd'], project)).toBe('npx -y ./passportd.tgz')
  })

  test('without install scripts, the command uses the binary of the package of this system, beside Bun and of its version', async () => {
    const at = emptyFolder()
    install(at)
    const bun = join(at, 'node_modules/bun')
    mkdirSync(join(bun, 'bin'), { recursive: true })
    copyFileSync(join(ROOT, 'node_modules/bun/package.json'), join(bun, 'package.json'))
    writeFileSync(join(bun, 'bin/bun.exe'), 'echo "The postinstall script was not run." >&2\nexit 1\n')
    const problem =
      /^passportd: Found no Bun for \w+ \w+ among the installed packages\. Install passportd again[^\n]+\n$/
    expect(await run([commandOf(at), '--version'], at)).toEqual({
      out: '',
      err: expect.stringMatching(problem),
      code: 1,
    })
    function addBinary(modules: string, name: string, manifest: object, binary: string): void {
      const platform = join(modules, '@oven', name)
      mkdirSync(join(platform, 'bin'), { recursive: true })
      writeFileSync(join(platform, 'package.json'), JSON.stringify(manifest))
      symlinkSync(binary, join(platform, 'bin/bun'))
    }
    const modules = join(at, 'node_modules')
    const other = join(at, 'other-program')
    writeFileSync(other, `#!/bin/sh\necho other\n${'#'.repeat(1_100_000)}\n`, { mode: 0o755 })
    const { version: ours } = JSON.parse(readFileSync(join(bun, 'package.json'), 'utf8'))
    // Of another system, in a folder that NODE_PATH names, below the home directory, and of another version.
    addBinary(modules, 'bun-darwin-aarch64', { version: ours }, other)
    for (const folder of ['elsewhere', '.node_modules', '.node_libraries'])
      addBinary(join(at, folder), 'bun-linux-x64', { version: ours }, other)
    addBinary(modules, 'bun-linux-x64-musl', { version: '1.0.0' }, other)
    const env = { HOME: at, NODE_PATH: join(at, 'elsewhere') }
    expect(await run([commandOf(at), '--version'], at, env)).toMatchObject({ out: '', code: 1 })
    addBinary(modules, 'bun-linux-x64', { version: ours }, process.execPath)
    expect(await run([commandOf(at), '--version'], at, env)).toMatchObject({
      out: `passportd ${version}\n`,
    })
  })

  test('without the package bun, the command says what to do', async () => {
    const at = emptyFolder()
    install(at)
    expect(await run([commandOf(at), '--version'], at)).toMatchObject({
      out: '',
      err: expect.stringContaining('Found no Bun for'),
      code: 1,
    })
  })
})
