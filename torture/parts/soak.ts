import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess } from '../../test/support/cli.ts'
import { childrenOf, until } from '../../test/support/processes.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { call, type Got } from '../callers.ts'
import { EDITIONS, type Edition, linesOf } from '../editions.ts'
import { createKinds, type Kind } from '../kinds.ts'
import { getJson, makeModel } from '../model.ts'
import type { Part } from '../part.ts'

const CALLERS = 8
/** How far behind the last import an answer may be. */
const STALE_MILLISECONDS = 1000
/** Below that there is nothing to be said about memory. */
const LONG_SECONDS = 60
/** By how much memory may grow from the second third of the time to the last. */
const GROWTH = 1.25
/** Descriptors that come and go. */
const SPARE_DESCRIPTORS = 16

export const soak: Part = {
  name: 'soak',
  what: 'seconds of mixed load with import and scoring: every answer as the model has it, memory and open files flat',
  long: 600,
  short: 2,
  async run(seconds, tell) {
    using folder = tempFolder()
    const cwd = folder.path
    for (const edition of EDITIONS) writeFileSync(join(cwd, edition), linesOf(edition))
    const env = { TIERS: 'anonymous=unlimited, explorer=unlimited, small=20/1s' }
    await using server = await serveProcess(['--workers', '2'], { cwd, env })
    const { url, child } = server
    const key = (await run(['keys', 'create', '--name', 'small', '--tier', 'small'], { cwd, env })).out.trim()

    let lost = 0
    function lose(reason: string): void {
      lost++
      if (lost <= 10) tell(reason)
    }
    let target: Edition = 'amber'
    let thereSince = Number.POSITIVE_INFINITY
    async function bring(edition: Edition): Promise<void> {
      thereSince = Number.POSITIVE_INFINITY
      target = edition
      const { code, err } = await run(['import', edition], { cwd, env })
      if (code !== 0) lose(`import ended with ${code}: ${err}`)
      thereSince = performance.now()
    }
    const model = await makeModel(url, async (edition) => {
      await bring(edition)
      await until(async () => {
        const { passports } = await getJson(`${url}/api/v1/passports?per_page=250`)
        return passports.every((each: { calculating_score: boolean }) => !each.calculating_score)
      })
    })

    const end = new AbortController()
    const kinds = createKinds(model, key)
    const statuses = new Map<number, number>()
    let answered = 0
    function caller() {
      let kind = kinds[0] as Kind
      let begin = 0
      const isFresh = (edition: Edition) => edition === target || begin < thereSince + STALE_MILLISECONDS
      return {
        port: Number(new URL(url).port),
        next() {
          kind = kinds[Math.floor(Math.random() * kinds.length)] as Kind
          begin = performance.now()
          return kind.ask()
        },
        onAnswer(got: Got) {
          answered++
          statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1)
          const wrong = kind.check(got, isFresh)
          if (wrong) lose(`${got.target}: ${got.status}, ${wrong}`)
        },
        onFailure: ({ target, reason }: { target: string; reason: string }) => lose(`${target}: ${reason}`),
        end: end.signal,
      }
    }
    const callers = Array.from({ length: CALLERS }, (_, at) => call(caller(), at % 4 !== 0))
    async function importAgain(): Promise<void> {
      while (!end.signal.aborted) await bring(target === 'amber' ? 'birch' : 'amber')
    }
    const importing = importAgain()
    const samples: Sample[] = []
    for (let second = 0; second < seconds; second++) {
      await Bun.sleep(1000)
      samples.push(measure([child.pid, ...childrenOf(child.pid)]))
    }
    end.abort()
    await Promise.all([...callers, importing])
    const memory = grow(samples.map(({ bytes }) => bytes))
    const descriptors = grow(samples.map((sample) => sample.descriptors))
    if (seconds >= LONG_SECONDS) {
      if (memory.last > memory.second * GROWTH)
        lose(`memory grew from ${memory.second} to ${memory.last} bytes`)
      if (descriptors.last > descriptors.second + SPARE_DESCRIPTORS)
        lose(`open files grew from ${descriptors.second} to ${descriptors.last}`)
    }
    const seen = [...statuses].sort().map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
    const megabytes = (bytes: number) => Math.round(bytes / 1e6)
    return {
      count: seconds,
      lost,
      note: `${answered.toLocaleString('en')} requests (${seen.join(', ')}), ${megabytes(memory.second)} then ${megabytes(memory.last)} MB`,
    }
  },
}

type Sample = { bytes: number; descriptors: number }

/** Of all processes together; one that ends meanwhile has nothing. */
function measure(pids: readonly number[]): Sample {
  const sample = { bytes: 0, descriptors: 0 }
  for (const pid of pids) {
    try {
      sample.bytes +=
        1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
      sample.descriptors += readdirSync(`/proc/${pid}/fd`).length
    } catch {}
  }
  return sample
}

/** The medians of the second and the last third; the first is for warming up. */
function grow(values: readonly number[]): { second: number; last: number } {
  const third = Math.ceil(values.length / 3)
  return { second: median(values.slice(third, 2 * third)), last: median(values.slice(-third)) }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
