import { answerLike } from './answers.ts'
import { constantReads } from './ceilings.ts'
import type { Like } from './like.ts'
import type { Options } from './options.ts'
import { KEYWORD_READS, type Read } from './reads.ts'
import type { Side, Sides } from './sides.ts'
import { busyReads, likes, selects } from './special-subjects.ts'
import { loaded, type Subject } from './turns.ts'

/** In the order of their turns: what is compared follows each other. */
export function subjectsOf({ reads }: Options, sides: Sides): Subject[] {
  const { ours, ceilings, fewer, peer, onPostgres, like } = sides
  const subjects: Subject[] = []
  for (const read of reads) {
    const answer = answerLike(read)
    const isFirst = answer && reads.find((other) => answerLike(other) === answer) === read
    if (ceilings && isFirst) subjects.push(...constantReads(ceilings, answer, ours.loads[answer]))
    subjects.push(readOf('ours', ours, read))
    if (read === 'by-id' && like) subjects.push(busyReads(ours))
    if (fewer) subjects.push(readOf('fewer', fewer, read))
    if (peer) subjects.push(readOf('peer', peer, read))
  }
  if (like) subjects.push(...searchesOf(like, sides, reads))
  if (onPostgres) {
    subjects.push(selects(onPostgres.bare), loaded('ours on PostgreSQL', 'by-id', onPostgres))
  }
  return subjects
}

/** How long one search takes, where nobody else asks. */
function searchesOf(like: Like, { ours, peer, keywords }: Sides, reads: readonly Read[]): Subject[] {
  const alone = KEYWORD_READS.filter((read) => reads.includes(read)).flatMap((read) => [
    likes(like, read, keywords[read]),
    readOf('ours, alone', ours, read, 1),
    ...(peer ? [readOf('peer, alone', peer, read, 1)] : []),
  ])
  return [
    ...alone,
    readOf('ours', ours, 'mixed'),
    readOf('ours, alone', ours, 'mixed', 1),
    readOf('ours, alone', ours, 'by-id', 1),
  ]
}

const readOf = (side: string, { url, spent, loads }: Side, read: Read | 'mixed', connections?: number) =>
  loaded(side, read, { url, spent, load: loads[read], connections })
