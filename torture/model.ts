import { EDITIONS, type Edition, IDS, isScored } from './editions.ts'

// biome-ignore lint/suspicious/noExplicitAny: what it looks into is what is to be checked.
type Json = any

/** What the server may answer about everybody: what it answered of each edition while nobody disturbed it. */
export type Model = {
  /** Which edition a passport or its credentials are in; nothing where they are in none, or in two. */
  editionOfPassport(passport: Json): Edition | undefined
  /** Those that are being scored are not there yet: then it is any edition. */
  editionOfCredentials(id: number, credentials: Json): Edition | 'any' | undefined
}

/** `settle` has the edition there, and all of it at rest. */
export async function makeModel(url: string, settle: (edition: Edition) => Promise<void>): Promise<Model> {
  const known = new Map<string, Edition>()
  function learn(passport: Json, edition: Edition): void {
    known.set(fixedPart(passport), edition)
    known.set(fixedPart({ ...passport, calculating_score: true }), edition)
  }
  for (const edition of EDITIONS) {
    await settle(edition)
    const { passports } = await getJson(`${url}/api/v1/passports?per_page=250`)
    for (const listed of passports) learn(listed, edition)
    for (const id of IDS) {
      const { passport } = await getJson(`${url}/api/v1/passports/${id}`)
      const { passport_credentials } = await getJson(`${url}/api/v1/passport_credentials?passport_id=${id}`)
      learn(passport, edition)
      known.set(`${id} ${unscored(passport_credentials)}`, edition)
    }
  }
  return {
    editionOfPassport: (passport) => known.get(fixedPart(passport)),
    editionOfCredentials: (id, credentials) =>
      isScored(id) && credentials.length === 0 ? 'any' : known.get(`${id} ${unscored(credentials)}`),
  }
}

/** Scores that are being worked out may be those of before. */
const fixedPart = (passport: Json) =>
  JSON.stringify(passport, (name, value) =>
    name === 'last_calculated_at' ||
    (passport.calculating_score && /score$/.test(name) && name !== 'calculating_score')
      ? undefined
      : value,
  )

const unscored = (credentials: Json) =>
  JSON.stringify(credentials, (name, value) =>
    /^(score|last_calculated_at)$/.test(name) ? undefined : value,
  )

export const getJson = async (url: string): Promise<Json> => (await fetch(url)).json()
