/** Rounds up to 1, 2, 5, 10, 20, ... */
export function roundUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number))
  return power * ([1, 2, 5].find((factor) => factor * power >= number) ?? 10)
}
