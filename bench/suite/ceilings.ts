import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn, type Load } from '../load.ts'
import { tempFolder } from '../measure.ts'
import { processorTime } from '../process-figures.ts'
import type { Answered, Answers } from './answers.ts'
import { startChild } from './child.ts'
import type { Constant } from './constant-server.ts'
import type { startNginx } from './nginx.ts'
import { KEY_HEADERS } from './ours.ts'
import { loaded, type Subject } from './turns.ts'

type Name = keyof Answers

/** Bun's server with the bytes of our answers: without our headers, and with them. */
export async function startConstants(answers: Answers) {
  using folder = tempFolder()
  const path = join(folder.path, 'answers.json')
  const bare = mapAnswers(answers, (answer) => toConstant({ ...answer, headers: {} }))
  const dressed = mapAnswers(answers, toConstant)
  const named = Object.entries(dressed).map(([name, answer]) => [`${name}, headers`, answer])
  writeFileSync(path, JSON.stringify({ ...bare, ...Object.fromEntries(named) }))
  const child = await startChild([process.execPath, join(import.meta.dir, 'constant-server.ts'), path])
  const origins: Record<string, string> = JSON.parse(child.line)
  return Object.assign(child, {
    bare: (name: Name) => origins[name] as string,
    dressed: (name: Name) => origins[`${name}, headers`] as string,
  })
}

const mapAnswers = <T>(answers: Answers, map: (answer: Answered) => T) =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, map(answer)]))

const toConstant = ({ status, headers, body }: Answered): Constant => ({
  status,
  headers,
  body: Buffer.from(body).toString('base64'),
})

type Ceilings = {
  constants: Awaited<ReturnType<typeof startConstants>>
  nginx: Awaited<ReturnType<typeof startNginx>>
}

/** The requests of a read, answered with constant bytes. */
export function constantReads({ constants, nginx }: Ceilings, read: Name, load: Load): Subject[] {
  const spent = () => processorTime(constants.pid)
  const subjects = [
    loaded('constant', read, { url: constants.bare(read), load, spent }),
    loaded('constant, our headers', read, { url: constants.dressed(read), load, spent }),
  ]
  if (!nginx) return subjects
  const headers = read === 'not-modified' ? { ...KEY_HEADERS, 'If-None-Match': nginx.tag } : KEY_HEADERS
  const file = inTurn([{ path: `/${read}`, headers }])
  const { url, pid } = nginx
  return [...subjects, loaded('nginx', read, { url, load: file, spent: () => processorTime(pid) })]
}
