import { editDistance } from '../basics/text/nearest-name.ts'
import type { Environment } from './secrets.ts'

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
  const isSet = (name: string) => (env[name] ?? '').trim() !== ''
  const unset = names.filter((name) => !isSet(name))
  return Object.keys(env).flatMap((name) => {
    if (names.includes(name) || !isSet(name)) return []
    const meant = unset.find((setting) => resembles(name.toUpperCase(), setting))
    return meant === undefined ? [] : [`${name} is not a setting: did you mean ${meant}?`]
  })
}

/** Short names must be the same except for case, because HOSTS or POST may be variables of other programs. */
function resembles(name: string, setting: string): boolean {
  const most = setting.length > 9 ? 2 : setting.length > 5 ? 1 : 0
  return ALIASES[name] === setting || isSameName(name, setting) || editDistance(name, setting, most) <= most
}

/** Underscores are ignored. Names over five characters also match with the prefix PASSPORTD_ or the suffix _FILE. */
function isSameName(name: string, setting: string): boolean {
  const bare = (text: string) => text.replaceAll('_', '')
  const names = setting.length > 5 ? [setting, `PASSPORTD_${setting}`, `${setting}_FILE`] : [setting]
  return names.some((other) => bare(other) === bare(name))
}
