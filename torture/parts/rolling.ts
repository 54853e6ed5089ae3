import { serveProcess } from '../../test/support/cli.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { call, type Failure } from '../callers.ts'
import type { Part } from '../part.ts'

const TARGETS = ['/api/v1/passports/1', '/api/v1/passports?keyword=an', '/api/v1/passports?page=2', '/']
const CALLERS = 12

export const rolling: Part = {
  name: 'rolling',
  what: 'rolling restart of all workers while callers come and stay',
  long: 30,
  short: 1,
  async run(times, tell) {
    using folder = tempFolder()
    const env = { TIERS: 'anonymous=unlimited, explorer=unlimited' }
    await using server = await serveProcess(['--demo', '--workers', '2'], { cwd: folder.path, env })
    const end = new AbortController()
    const failures: Failure[] = []
    let asked = 0
    let answered = 0
    const options = {
      port: Number(new URL(server.url).port),
      next: () => ({ target: TARGETS[asked++ % TARGETS.length] as string }),
      onAnswer({ status, target }: { status: number; target: string }) {
        answered++
        if (status !== 200) failures.push({ target, from: 0, reason: `status ${status}` })
      },
      onFailure: (failure: Failure) => failures.push(failure),
      end: end.signal,
    }
    const callers = Array.from({ length: CALLERS }, (_, at) => call(options, at % 2 === 0))
    let restarts = 0
    let log = ''
    server.child.kill('SIGHUP')
    const decoder = new TextDecoder()
    for await (const chunk of server.child.stderr) {
      log += decoder.decode(chunk, { stream: true })
      if (log.includes('could not start')) break
      const done = log.split('All workers have been replaced.').length - 1
      if (done > restarts) {
        restarts = done
        if (restarts >= times) break
        server.child.kill('SIGHUP')
      }
    }
    end.abort()
    await Promise.all(callers)
    for (const { target, reason } of failures.slice(0, 10)) tell(`${target}: ${reason}`)
    if (restarts < times) tell(`the server said: ${log}`)
    return {
      count: restarts,
      lost: failures.length + Number(restarts < times),
      note: `${answered.toLocaleString('en')} requests`,
    }
  },
}
