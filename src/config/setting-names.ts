import { editDistance } from '../domain/text/nearest-name.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A sentence for each variable that begins with SITE_ or PASSPORTD_ and is not a setting. */
export function unknownSettings(env: Environment, names: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => /^(PASSPORTD|SITE)_/i.test(name) && !names.includes(name))
    .filter((name) => findMeant(env, name, names) === undefined)
    .map((name) => `${name} is not a setting: ${advise(name.toUpperCase(), names)}.`)
}

function advise(name: string, names: readonly string[]): string {
  const meant = name.replace('PASSPORTD_', '')
  if (names.includes(meant)) return `use ${meant}`
  const similar = names.filter((each) => !name.startsWith('SITE_') || each.startsWith('SITE_'))
  return `the settings are ${similar.join(', ')}`
}

/** Other names that people use for a setting. */
const ALIASES: Readonly<Record<string, string>> = {
  REQUIRE_KEY: 'REQUIRE_API_KEY',
  REQUIRE_KEYS: 'REQUIRE_API_KEY',
  API_KEY_REQUIRED: 'REQUIRE_API_KEY',
  DB_URL: 'DATABASE_URL',
  TRUST_PROXIES: 'TRUST_PROXY',
  TRUSTED_PROXIES: 'TRUST_PROXY',
  MIRROR_API_KEY: 'MIRROR_KEY',
}

/** A sentence for each variable whose name resembles the name of an unset setting. */
export function misspeltSettings(env: Environment, names: readonly string[]): string[] {
  return Object.keys(env).flatMap((name) => {
    const meant = findMeant(env, name, names)
    return meant === undefined ? [] : [`${name} is not a setting: did you mean ${meant}?`]
  })
}

function findMeant(env: Environment, name: string, names: readonly string[]): string | undefined {
  const isSet = (name: string) => (env[name] ?? '').trim() !== ''
  if (names.includes(name) || !isSet(name)) return undefined
  return names.find((setting) => !isSet(setting) && resembles(name.toUpperCase(), setting))
}

/** Variables of other programs, such as HOSTS or POST, may be near a short name: it must match but for case. */
function resembles(name: string, setting: string): boolean {
  const most = setting.length > 9 ? 2 : setting.length > 5 ? 1 : 0
  return ALIASES[name] === setting || isSameName(name, setting) || editDistance(name, setting, most) <= most
}

/** Underscores are ignored. Names over five characters also match with the prefix PASSPORTD_ or the suffix _FILE. */
function isSameName(name: string, setting: string): boolean {
  const bare = (text: string) => text.replaceAll('_', '')
  const names = setting.length > 5 ? [setting, `PASSPORTD_${setting}`, `${setting}_FILE`] : [setting]
  return names.some((each) => bare(each) === bare(name))
}
