import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess } from '../../test/support/cli.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../run-scenario.ts'
import { statusOf } from '../support/process-status.ts'
import { sendRequests } from '../support/send-requests.ts'
import { linesOf, VERSIONS, type Version } from '../support/soak-dataset.ts'
import { createRequestMix, type RequestKind } from '../support/soak-requests.ts'
import { getJson, learnVersions } from '../support/soak-response-versions.ts'

const CLIENTS = 8
/** Shorter runs do not check memory and open files. */
const LONG_SECONDS = 60
/** Allowed factor by which memory grows from the second third of the run to the last third. */
const MOST_GROWTH = 1.25
const SPARE_FILES = 16

export const soak: Scenario = {
  name: 'soak',
  title:
    'seconds of mixed load with import and scoring: responses fresh and correct, memory and open files constant',
  long: 600,
  short: 1,
  async run(seconds, fail) {
    using folder = tempFolder()
    const cwd = folder.path
    for (const version of VERSIONS) writeFileSync(join(cwd, version), linesOf(version))
    const env = { TIERS: 'anonymous=unlimited, explorer=unlimited, small=20/1s' }
    await using server = await serveProcess(['--workers', '2'], { cwd, env })
    const { url, child } = server
    const key = (await run(['keys', 'create', '--name', 'small', '--tier', 'small'], { cwd, env })).out.trim()

    let current: Version = 'amber'
    let importedAt = Number.POSITIVE_INFINITY
    async function importVersion(version: Version): Promise<void> {
      importedAt = Number.POSITIVE_INFINITY
      current = version
      const { code, err } = await run(['import', version], { cwd, env })
      if (code !== 0) fail(`import exited with ${code}: ${err}`)
      importedAt = performance.now()
    }
    const model = await learnVersions(url, async (version) => {
      await importVersion(version)
      await until(() => isShown(url, version))
    })

    const end = new AbortController()
    const kinds = createRequestMix(model, key)
    const statuses = new Map<number, number>()
    function send(at: number): Promise<void> {
      let kind = kinds[0] as RequestKind
      return sendRequests({
        url,
        next() {
          kind = kinds[Math.floor(Math.random() * kinds.length)] as RequestKind
          return kind.next()
        },
        onExchange(exchange) {
          const { target, startedAt } = exchange
          if ('error' in exchange) return fail(`${target}: ${exchange.error.message}`)
          const { status, headers } = exchange.response
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          const isFresh = (version: Version, lag: number) =>
            version === current || startedAt < importedAt + lag
          const problem = kind.check({ target, status, headers, text: exchange.text }, isFresh)
          if (problem) fail(`${target}: ${status}, ${problem}`)
        },
        keepalive: at % 4 !== 0,
        signal: end.signal,
      })
    }
    const sending = Array.from({ length: CLIENTS }, (_, at) => send(at))
    const importing = (async () => {
      while (!end.signal.aborted) await importVersion(current === 'amber' ? 'birch' : 'amber')
    })()
    const samples: ReturnType<typeof statusOf>[] = []
    for (let second = 0; second < seconds; second++) {
      await Bun.sleep(1000)
      samples.push(statusOf(child.pid))
    }
    end.abort()
    await Promise.all([...sending, importing])
    const memory = medians(samples.map(({ memory }) => memory))
    if (seconds >= LONG_SECONDS) checkGrowth(samples, fail)
    const seen = [...statuses].sort().map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
    return { count: seconds, note: `${seen.join(', ')}; ${memory.second} then ${memory.last} MB` }
  },
}

type Listed = { calculating_score: boolean; passport_profile: { location: string } }

async function isShown(url: string, version: Version): Promise<boolean> {
  const { passports } = await getJson(`${url}/api/v1/passports?per_page=250`)
  const isCurrent = ({ calculating_score, passport_profile }: Listed) =>
    !calculating_score && passport_profile.location === version
  return passports.length > 0 && passports.every(isCurrent)
}

function checkGrowth(samples: readonly ReturnType<typeof statusOf>[], fail: Fail): void {
  const memory = medians(samples.map(({ memory }) => memory))
  if (memory.last > memory.second * MOST_GROWTH)
    fail(`memory grew from ${memory.second} to ${memory.last} MB`)
  const files = medians(samples.map(({ files }) => files))
  if (files.last > files.second + SPARE_FILES) fail(`open files grew from ${files.second} to ${files.last}`)
}

/** The medians of the second and the last third; the first third is the warm-up. */
function medians(values: readonly number[]): { second: number; last: number } {
  const third = Math.ceil(values.length / 3)
  return { second: median(values.slice(third, 2 * third)), last: median(values.slice(-third)) }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
