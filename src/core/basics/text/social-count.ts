const COUNT = /^(\d+|\d{1,3}(?:,\d{3})+|\d+\.\d+(?= ?[kmb])) ?([kmb]?)$/i
const FACTORS: Record<string, number> = { k: 1e3, m: 1e6, b: 1e9 }

/**
 * The follower count of a social profile: accepts 1204, 1,204 and 1.2k. Other text is ambiguous: 1.204 may be a decimal
 * or a thousand.
 */
export function parseSocialCount(text: string): number | null {
  // Most counts are plain numbers.
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const [, number = '', unit = ''] = COUNT.exec(text.trim()) ?? []
  const count = Math.round(Number(number.replaceAll(',', '')) * (FACTORS[unit.toLowerCase()] ?? 1))
  return number !== '' && Number.isSafeInteger(count) ? count : null
}
