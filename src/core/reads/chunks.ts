/** Passports per read. They take at most 1.6 MB. */
export const CHUNK = 50
