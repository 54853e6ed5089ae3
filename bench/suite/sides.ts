import { sqliteSet } from '../data-set.ts'
import { tempFolder } from '../measure.ts'
import { writeSelect } from '../pgbench.ts'
import { fillPostgres } from '../postgres-set.ts'
import { familyTime, processorTime, settle } from '../process-figures.ts'
import { checkAgreement } from './agreement.ts'
import { type Answers, sampleAnswers } from './answers.ts'
import { startConstants } from './ceilings.ts'
import { databaseOf, type KeptPostgres, startKeptPostgres } from './kept-postgres.ts'
import { type Keywords, keywordsOf } from './keywords.ts'
import { openLike } from './like.ts'
import { startNginx } from './nginx.ts'
import type { Options } from './options.ts'
import { KEY_HEADERS, keepKeyIn, startOurs } from './ours.ts'
import { startPeer } from './peer.ts'
import { peerSet } from './peer-set.ts'
import { byId, type Loads, loadsOf } from './reads.ts'
import { tagsOf } from './tags.ts'
import { warm } from './warming.ts'

/** A server that speaks V1, and what to ask of it. */
export type Side = { url: string; spent: () => number; loads: Loads }

type Data = { path: string; passports: number; keywords: Keywords }
type Started = AsyncDisposableStack

/** Starts what is asked for; all of it ends with `started`. */
export async function startSides(started: Started, { passports, growth, parts }: Options) {
  const data = await dataOf(passports)
  const ours = await startOnSqlite(started, data)
  const answers = await sampleAnswers(ours.url, passports)
  const wantsPostgres = parts.has('peer') || parts.has('postgres')
  const postgres = wantsPostgres ? started.use(await startKeptPostgres()) : undefined
  return {
    ours,
    answers,
    keywords: data.keywords,
    ceilings: parts.has('ceilings') ? await startCeilings(started, answers) : undefined,
    fewer: parts.has('growth') ? await startOnSqlite(started, await dataOf(growth)) : undefined,
    peer: postgres && parts.has('peer') ? await startBeside(started, postgres, data, ours) : undefined,
    onPostgres:
      postgres && parts.has('postgres') ? await startOnPostgres(started, postgres, data) : undefined,
    like: parts.has('keywords') ? started.use(openLike(data.path, passports)) : undefined,
  }
}

export type Sides = Awaited<ReturnType<typeof startSides>>

async function dataOf(passports: number): Promise<Data> {
  const path = await sqliteSet(passports)
  await keepKeyIn(path)
  await warm(path)
  return { path, passports, keywords: keywordsOf(path, passports) }
}

async function startOnSqlite(started: Started, data: Data) {
  const address = `sqlite:${data.path}`
  const node = await startNode(started, address)
  return { ...node, address, passports: data.passports, loads: await loadsFor(node.url, data) }
}

async function startNode(started: Started, address: string) {
  const { url, pid } = started.use(await startOurs(address))
  const spent = () => processorTime(pid)
  await settle(spent)
  return { url, pid, spent }
}

async function loadsFor(url: string, { passports, keywords }: Data): Promise<Loads> {
  const tagged = await tagsOf(url, passports)
  return loadsOf({ passports, keywords, headers: KEY_HEADERS, tagged })
}

async function startCeilings(started: Started, answers: Answers) {
  const constants = started.use(await startConstants(answers))
  const nginx = await startNginx(answers)
  if (nginx) started.use(nginx)
  else console.error('nginx is not installed, and left out. Debian: nginx-light')
  return { constants, nginx }
}

async function startBeside(started: Started, server: KeptPostgres, data: Data, ours: Side): Promise<Side> {
  const { url, spent } = started.use(
    await startPeer(server, await peerSet(server, data.path, data.passports)),
  )
  await checkAgreement(ours.url, url)
  return { url, spent, loads: await loadsFor(url, data) }
}

/** Of each passport on PostgreSQL: reads by id do not ask for them. */
const CREDENTIALS = 3

async function startOnPostgres(started: Started, server: KeptPostgres, data: Data) {
  const { passports } = data
  const database = await databaseOf(server, `passportd_${passports}`)
  await fillPostgres(database, { passports, credentials: CREDENTIALS })
  await warm(server.data)
  const script = writeSelect(started.use(tempFolder()).path, passports)
  const { url, spent } = await startNode(started, database)
  const below = () => familyTime(server.pid)
  const bare = { database, script, spent: below }
  return { url, spent: () => spent() + below(), load: byId(passports, KEY_HEADERS), bare }
}
