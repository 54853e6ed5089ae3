import { IDS, isScored, VERSIONS, type Version } from './soak-dataset.ts'

// biome-ignore lint/suspicious/noExplicitAny: the scenario checks the shape.
type Json = any

/** Finds the version to which a response belongs. */
export type Model = {
  versionOfPassport(passport: Json): Version | undefined
  /** 'any' if there are no credentials yet, which is correct until they are scored. */
  versionOfCredentials(id: number, credentials: Json): Version | 'any' | undefined
}

/** Stores the responses of each version. `prepare` imports a version and waits until it is scored. */
export async function learnVersions(
  url: string,
  prepare: (version: Version) => Promise<void>,
): Promise<Model> {
  const known = new Map<string, Version>()
  function learn(passport: Json, version: Version): void {
    known.set(fixedPart(passport), version)
    known.set(fixedPart({ ...passport, calculating_score: true }), version)
  }
  for (const version of VERSIONS) {
    await prepare(version)
    const { passports } = await getJson(`${url}/api/v1/passports?per_page=250`)
    for (const listed of passports) learn(listed, version)
    for (const id of IDS) {
      const { passport } = await getJson(`${url}/api/v1/passports/${id}`)
      const { passport_credentials } = await getJson(`${url}/api/v1/passport_credentials?passport_id=${id}`)
      learn(passport, version)
      known.set(`${id} ${unscored(passport_credentials)}`, version)
    }
  }
  return {
    versionOfPassport: (passport) => known.get(fixedPart(passport)),
    versionOfCredentials: (id, credentials) =>
      isScored(id) && credentials.length === 0 ? 'any' : known.get(`${id} ${unscored(credentials)}`),
  }
}

/** Omits scores that are being calculated, because the response still has the previous ones. */
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
