import { sqliteSet } from '../data-set.ts'
import { tempFolder } from '../measure.ts'
import { writeSelect } from '../pgbench.ts'
import { fillPostgres } from '../postgres-set.ts'
import { familyTime, memoryOf, processorTime, settle } from '../process-figures.ts'
import { measureRecords } from '../record-rates.ts'
import { checkAgreement } from './agreement.ts'
import { ANSWER_READS, type Answers, sampleAnswers } from './answers.ts'
import { startConstants, startNginx } from './ceilings.ts'
import type { Measured } from './figures.ts'
import { databaseOf, startKeptPostgres } from './kept-postgres.ts'
import { type Keywords, keywordsOf } from './keywords.ts'
import { openLike } from './like.ts'
import type { Options } from './options.ts'
import { KEY_HEADERS, keepKeyIn, startOurs } from './ours.ts'
import { startPeer } from './peer.ts'
import { peerSet } from './peer-set.ts'
import { KEYWORD_READS, loadsOf, type Read } from './reads.ts'
import { timeStart } from './start.ts'
import { busyReads, ceilingsOf, likes, readOf, type Server, selects } from './subjects.ts'
import { tagsOf } from './tags.ts'
import { type Subject, takeTurns } from './turns.ts'

const STARTS = 5
const RECORDS = 20_000
/** Of each passport on PostgreSQL: reads by id do not ask for them. */
const CREDENTIALS = 3

/** Starts what is asked for, gives each subject its turns, and ends everything. */
export async function measure(options: Options): Promise<Measured> {
  const { passports, growth, parts, rounds } = options
  await using started = new AsyncDisposableStack()
  const path = await dataSet(passports)
  const keywords = keywordsOf(path, passports)
  const ours = await serve(started, `sqlite:${path}`, { passports, keywords })
  const sides = await startSides(started, options, { path, keywords, ours })
  const turns = await takeTurns(subjectsOf(options, { ours, keywords, ...sides }), options)

  const measured: Measured = { turns, passports, growth }
  if (parts.has('start')) {
    measured.memory = memoryOf(ours.pid)
    const starts = []
    for (let at = 0; at < STARTS; at++) starts.push(await timeStart(`sqlite:${path}`))
    measured.ready = starts.map(({ ready }) => ready)
    measured.listed = starts.map(({ listed }) => listed)
  }
  if (parts.has('records')) measured.records = await measureRecords(RECORDS, Math.min(rounds, 3))
  return measured
}

async function dataSet(passports: number): Promise<string> {
  const path = await sqliteSet(passports)
  await keepKeyIn(path)
  return path
}

type Side = Server & { pid: number }
type Data = { passports: number; keywords: Keywords }

async function serve(started: AsyncDisposableStack, database: string, data: Data): Promise<Side> {
  const { url, pid } = started.use(await startOurs(database))
  const spent = () => processorTime(pid)
  await settle(spent)
  return { url, pid, spent, loads: await loadsFor(url, data) }
}

async function loadsFor(url: string, data: Data) {
  const tagged = await tagsOf(url, KEY_HEADERS['X-API-KEY'], data.passports)
  return loadsOf({ ...data, headers: KEY_HEADERS, tagged })
}

type Given = { path: string; keywords: Keywords; ours: Side }

/** What is measured beside ours, as far as it is asked for. */
async function startSides(started: AsyncDisposableStack, options: Options, { path, keywords, ours }: Given) {
  const { passports, growth, parts } = options
  const answers = await sampleAnswers(ours.url, KEY_HEADERS['X-API-KEY'], passports)
  const data = { passports, keywords }
  const postgres =
    parts.has('peer') || parts.has('postgres') ? started.use(await startKeptPostgres()) : undefined

  async function startCeilings() {
    const constants = started.use(await startConstants(answers))
    const nginx = await startNginx(answers)
    if (nginx) started.use(nginx)
    return { constants, nginx }
  }
  async function startFewer() {
    const fewer = await dataSet(growth)
    const data = { passports: growth, keywords: keywordsOf(fewer, growth) }
    return serve(started, `sqlite:${fewer}`, data)
  }
  async function startThePeer(server: NonNullable<typeof postgres>) {
    const peer = started.use(await startPeer(server, await peerSet(server, path, passports)))
    await checkAgreement(ours.url, peer.url)
    return { url: peer.url, spent: peer.spent, loads: await loadsFor(peer.url, data) }
  }
  async function startOnPostgres(server: NonNullable<typeof postgres>) {
    const database = await databaseOf(server, `passportd_${passports}`)
    await fillPostgres(database, { passports, credentials: CREDENTIALS })
    const select = writeSelect(started.use(tempFolder()).path, passports)
    const node = await serve(started, database, data)
    const below = () => familyTime(server.pid)
    return { ...node, spent: () => node.spent() + below(), bare: selects(database, select, below) }
  }
  return {
    ceilings: parts.has('ceilings') ? await startCeilings() : undefined,
    fewer: parts.has('growth') ? await startFewer() : undefined,
    peer: postgres && parts.has('peer') ? await startThePeer(postgres) : undefined,
    onPostgres: postgres && parts.has('postgres') ? await startOnPostgres(postgres) : undefined,
    like: parts.has('keywords') ? started.use(openLike(path, passports)) : undefined,
  }
}

type Sides = Awaited<ReturnType<typeof startSides>> & { ours: Side; keywords: Keywords }

/** In the order of their turns: what is compared follows each other. */
function subjectsOf({ reads }: Options, sides: Sides): Subject[] {
  const { ours, ceilings, fewer, peer, onPostgres, like, keywords } = sides
  const subjects: Subject[] = []
  for (const read of reads) {
    if (ceilings && hasAnswer(read)) subjects.push(...ceilingsOf(ceilings, read, ours.loads[read]))
    subjects.push(readOf('ours', ours, read))
    if (read === 'by-id' && like) subjects.push(busyReads(ours))
    if (fewer) subjects.push(readOf('fewer', fewer, read))
    if (peer) subjects.push(readOf('peer', peer, read))
  }
  if (like) {
    const searches = KEYWORD_READS.filter((read) => reads.includes(read))
    for (const one of likes(like, keywords, searches)) subjects.push(one)
    for (const read of searches) {
      subjects.push(readOf('ours, alone', ours, read, 1))
      if (peer) subjects.push(readOf('peer, alone', peer, read, 1))
    }
    subjects.push(readOf('ours', ours, 'mixed'), readOf('ours, alone', ours, 'mixed', 1))
    subjects.push(readOf('ours, alone', ours, 'by-id', 1))
  }
  if (onPostgres) subjects.push(onPostgres.bare, readOf('ours on PostgreSQL', onPostgres, 'by-id'))
  return subjects
}

const hasAnswer = (read: Read): read is keyof Answers => (ANSWER_READS as readonly Read[]).includes(read)
