import { IDS, PEOPLE, VERSIONS, type Version, walletOf } from './soak-dataset.ts'
import type { Model } from './soak-response-versions.ts'

type Received = { target: string; status: number; headers: Headers; text: string }

/** Whether a response is allowed to have this version, if it can be `lag` milliseconds behind the imports. */
type IsFresh = (version: Version, lag: number) => boolean

export type RequestKind = {
  next(): { target: string; headers?: Record<string, string> }
  /** Returns a description of the problem, or undefined. */
  check(received: Received, isFresh: IsFresh): string | undefined
}

/** Responses lag behind imports: passports by 5 ms at most (100 ms on a busy machine), and lists by a second. */
const PASSPORT_LAG = 100
const LIST_LAG = 1000

const anyId = () => 1 + Math.floor(Math.random() * PEOPLE)

export function createRequestMix(model: Model, key: string): RequestKind[] {
  const checkPassport: RequestKind['check'] = ({ status, text }, isFresh) => {
    if (status !== 200) return 'unexpected status'
    const { passport } = JSON.parse(text)
    return checkVersion(model.versionOfPassport(passport), (version) => isFresh(version, PASSPORT_LAG), text)
  }
  const checkPage: RequestKind['check'] = ({ status, text }, isFresh) => {
    if (status !== 200) return 'unexpected status'
    const { passports, pagination } = JSON.parse(text)
    const ids = new Set(passports.map((each: { passport_id: number }) => each.passport_id))
    if (ids.size !== passports.length) return 'a passport is listed twice'
    if (pagination.total !== PEOPLE) return `a total of ${pagination.total}, expected ${PEOPLE}`
    return passports
      .map((each: unknown) =>
        checkVersion(model.versionOfPassport(each), (version) => isFresh(version, LIST_LAG), each),
      )
      .find((problem: string | undefined) => problem !== undefined)
  }
  const checkCredentials: RequestKind['check'] = ({ target, status, text }, isFresh) => {
    if (status !== 200) return 'unexpected status'
    const { passport_credentials } = JSON.parse(text)
    const version = model.versionOfCredentials(Number(target.split('=')[1]), passport_credentials)
    return checkVersion(version, (version) => isFresh(version, PASSPORT_LAG), text)
  }
  return [
    { next: () => ({ target: `/api/v1/passports/${anyId()}` }), check: checkPassport },
    { next: () => ({ target: `/api/v1/passports/${walletOf(anyId())}` }), check: checkPassport },
    { next: () => ({ target: `/api/v1/passports?per_page=7&page=${1 + (anyId() % 8)}` }), check: checkPage },
    { next: () => ({ target: '/api/v1/passports?keyword=person&per_page=250' }), check: checkPage },
    {
      next: () => ({ target: `/api/v1/passport_credentials?passport_id=${anyId()}` }),
      check: checkCredentials,
    },
    conditional(model, checkPassport),
    {
      next: () => ({ target: `/api/v1/passports/${anyId()}`, headers: { 'X-API-KEY': key } }),
      check: (received, isFresh) => (received.status === 429 ? undefined : checkPassport(received, isFresh)),
    },
    withStatus('/api/v1/passports/999999', [404]),
    withStatus('/api/v1/passports?page=none', [400]),
    // Requests with wrong keys are rate limited, too.
    withStatus('/api/v1/passports/1', [401, 429], { 'X-API-KEY': 'wrong' }),
    page(() => '/'),
    page(() => `/passports/${anyId()}`),
  ]
}

function checkVersion(
  version: Version | 'any' | undefined,
  isFresh: (version: Version) => boolean,
  body: unknown,
): string | undefined {
  if (version === undefined) return `not a known version: ${JSON.stringify(body)}`
  return version === 'any' || isFresh(version) ? undefined : `outdated: ${JSON.stringify(body)}`
}

/** Sends the ETag of the previous response. */
function conditional(model: Model, checkPassport: RequestKind['check']): RequestKind {
  const kept = new Map<string, { etag: string; version: Version | undefined }>()
  return {
    next() {
      const target = `/api/v1/passports/${IDS[anyId() % 5]}`
      const etag = kept.get(target)?.etag
      return { target, headers: etag === undefined ? {} : { 'If-None-Match': etag } }
    },
    check(received, isFresh) {
      const { target, status, headers, text } = received
      const etag = headers.get('ETag') ?? ''
      if (status !== 304) {
        const problem = checkPassport(received, isFresh)
        if (!problem) kept.set(target, { etag, version: model.versionOfPassport(JSON.parse(text).passport) })
        return problem
      }
      const known = kept.get(target)
      // If another client has replaced the entry meanwhile, its version is not that of this response.
      if (known?.etag !== etag) return undefined
      return checkVersion(known.version, (version) => isFresh(version, PASSPORT_LAG), '304')
    },
  }
}

const withStatus = (
  target: string,
  statuses: readonly number[],
  headers: Record<string, string> = {},
): RequestKind => ({
  next: () => ({ target, headers }),
  check: ({ status }) => (statuses.includes(status) ? undefined : `expected ${statuses}`),
})

const page = (path: () => string): RequestKind => ({
  next: () => ({ target: path() }),
  check: ({ status, text }) =>
    status === 200 && VERSIONS.some((version) => text.includes(version))
      ? undefined
      : 'not the expected page',
})
