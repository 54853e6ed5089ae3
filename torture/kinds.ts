import type { Got } from './callers.ts'
import { EDITIONS, type Edition, IDS, PEOPLE, walletOf } from './editions.ts'
import type { Model } from './model.ts'

/** A kind of request, and what is known of its answers. */
export type Kind = {
  ask(): { target: string; headers?: string }
  /** What is wrong with an answer. */
  check(got: Got, isFresh: (edition: Edition) => boolean): string | undefined
}

const anyId = () => 1 + Math.floor(Math.random() * PEOPLE)
const parse = ({ body }: Got) => JSON.parse(body.toString())

export function createKinds(model: Model, key: string): Kind[] {
  type IsFresh = (edition: Edition) => boolean
  function checkEdition(
    edition: Edition | 'any' | undefined,
    isFresh: IsFresh,
    body: unknown,
  ): string | undefined {
    if (edition === undefined) return `in no edition: ${JSON.stringify(body)}`
    return edition === 'any' || isFresh(edition)
      ? undefined
      : `of the edition before: ${JSON.stringify(body)}`
  }
  function checkPassport(got: Got, isFresh: IsFresh): string | undefined {
    if (got.status !== 200) return 'not an answer'
    const { passport } = parse(got)
    return checkEdition(model.editionOfPassport(passport), isFresh, passport)
  }
  function checkPage(got: Got, isFresh: IsFresh): string | undefined {
    if (got.status !== 200) return 'not an answer'
    const { passports, pagination } = parse(got)
    const ids = new Set(passports.map((each: { passport_id: number }) => each.passport_id))
    if (ids.size !== passports.length) return 'somebody is there twice'
    if (pagination.total !== PEOPLE) return `a total of ${pagination.total}`
    return passports
      .map((each: unknown) => checkEdition(model.editionOfPassport(each), isFresh, each))
      .find((wrong: string | undefined) => wrong !== undefined)
  }
  const status = (target: string, wanted: readonly number[], headers = ''): Kind => ({
    ask: () => ({ target, headers }),
    check: (got) => (wanted.includes(got.status) ? undefined : `instead of ${wanted}`),
  })
  const tags = new Map<string, { tag: string; edition: Edition | undefined }>()
  const page = (path: () => string): Kind => ({
    ask: () => ({ target: path() }),
    check(got) {
      const text = got.body.toString()
      return got.status === 200 && EDITIONS.some((edition) => text.includes(edition))
        ? undefined
        : 'not the page'
    },
  })
  return [
    { ask: () => ({ target: `/api/v1/passports/${anyId()}` }), check: checkPassport },
    { ask: () => ({ target: `/api/v1/passports/${walletOf(anyId())}` }), check: checkPassport },
    { ask: () => ({ target: `/api/v1/passports?per_page=7&page=${1 + (anyId() % 8)}` }), check: checkPage },
    { ask: () => ({ target: '/api/v1/passports?keyword=person&per_page=250' }), check: checkPage },
    {
      ask: () => ({ target: `/api/v1/passport_credentials?passport_id=${anyId()}` }),
      check(got, isFresh) {
        if (got.status !== 200) return 'not an answer'
        const { passport_credentials } = parse(got)
        const id = Number(got.target.split('=')[1])
        return checkEdition(
          model.editionOfCredentials(id, passport_credentials),
          isFresh,
          passport_credentials,
        )
      },
    },
    {
      ask() {
        const target = `/api/v1/passports/${IDS[anyId() % 5]}`
        const kept = tags.get(target)
        return { target, headers: kept ? `If-None-Match: ${kept.tag}\r\n` : '' }
      },
      check(got, isFresh) {
        const tag = /\r\nETag: (.*)\r\n/i.exec(got.headers)?.[1] ?? ''
        if (got.status !== 304) {
          const wrong = checkPassport(got, isFresh)
          if (!wrong) tags.set(got.target, { tag, edition: model.editionOfPassport(parse(got).passport) })
          return wrong
        }
        const kept = tags.get(got.target)
        // Another caller may have learned of another one meanwhile.
        return kept?.tag !== tag ? undefined : checkEdition(kept.edition, isFresh, 'what was kept')
      },
    },
    {
      ask: () => ({ target: `/api/v1/passports/${anyId()}`, headers: `X-API-KEY: ${key}\r\n` }),
      check: (got, isFresh) => (got.status === 429 ? undefined : checkPassport(got, isFresh)),
    },
    status('/api/v1/passports/999999', [404]),
    status('/api/v1/passports?page=none', [400]),
    // Who tries many wrong keys is put off.
    status('/api/v1/passports/1', [401, 429], 'X-API-KEY: wrong\r\n'),
    page(() => '/'),
    page(() => `/passports/${anyId()}`),
  ]
}
