import { serveProcess } from '../../test/support/cli.ts'
import { callersOf, childrenOf, socketsOf, until } from '../../test/support/processes.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { call, type Failure } from '../callers.ts'
import type { Part } from '../part.ts'

const TARGETS = ['/api/v1/passports/1', '/api/v1/passports?keyword=an', '/api/v1/passports?page=2', '/']
const CALLERS = 16
const WORKERS = 2
/** One that is stopped hangs. */
const SIGNALS = ['SIGKILL', 'SIGSEGV', 'SIGKILL', 'SIGABRT', 'SIGSTOP'] as const

export const crash: Part = {
  name: 'crash',
  what: 'a worker killed or hung under load: replaced, and callers of the others never fail',
  long: 20,
  short: 2,
  async run(times, tell) {
    using folder = tempFolder()
    const env = { TIERS: 'anonymous=unlimited, explorer=unlimited' }
    await using server = await serveProcess(['--demo', '--workers', String(WORKERS)], {
      cwd: folder.path,
      env,
    })
    const port = Number(new URL(server.url).port)
    const workers = () => childrenOf(server.child.pid)
    const listening = () => [...socketsOf(workers(), port, 'LISTEN').keys()]
    const end = new AbortController()
    let failures: Failure[] = []
    let asked = 0
    let answered = 0
    let lost = 0
    const options = {
      port,
      next: () => ({ target: TARGETS[asked++ % TARGETS.length] as string }),
      onAnswer({ status, target }: { status: number; target: string }) {
        answered++
        if (status === 200) return
        lost++
        tell(`${target}: status ${status}`)
      },
      onFailure: (failure: Failure) => failures.push(failure),
      end: end.signal,
    }
    const callers = Array.from({ length: CALLERS }, (_, at) => call(options, at % 4 !== 0))
    for (let round = 0; round < times; round++) {
      await Bun.sleep(Math.random() * 300)
      const victim = listening()[round % WORKERS] as number
      const others = new Set(workers().flatMap((pid) => (pid === victim ? [] : callersOf(pid, port))))
      process.kill(victim, SIGNALS[round % SIGNALS.length] as NodeJS.Signals)
      await until(() => listening().length === WORKERS && !listening().includes(victim))
      const unjust = failures.filter(({ from }) => from === 0 || others.has(from))
      for (const { target, reason } of unjust) tell(`${round}: ${target}: ${reason}`)
      lost += unjust.length
      failures = []
    }
    end.abort()
    await Promise.all(callers)
    return { count: times, lost, note: `${answered.toLocaleString('en')} requests` }
  },
}
