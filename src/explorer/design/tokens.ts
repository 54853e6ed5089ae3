/** The colours of pages and pictures. */
export const PALETTE = {
  light: {
    ground: '#f7f3ea',
    panel: '#fdfbf6',
    ink: '#24231f',
    soft: '#625d52',
    line: '#ddd5c5',
    accent: '#1d6552',
    accentInk: '#fdfbf6',
    notice: '#f8ebcd',
    bad: '#9b2f1b',
    code: '#efe9db',
    activity: '#bf8418',
    identity: '#22315f',
    skills: '#c65f7c',
    track: '#e7dfcf',
  },
  dark: {
    ground: '#161917',
    panel: '#1e2220',
    ink: '#ece8de',
    soft: '#aba698',
    line: '#363b37',
    accent: '#79c9b1',
    accentInk: '#10201b',
    notice: '#352d1a',
    bad: '#f2998a',
    code: '#292e2b',
    activity: '#f0cb80',
    identity: '#5266c2',
    skills: '#f5b5c6',
    track: '#303531',
  },
} as const

export type Theme = keyof typeof PALETTE

/** The colours as custom properties of the stylesheet, with the operator's accents. */
export function writeColors(accents: Record<Theme, string>): string {
  const dark = { ...PALETTE.dark, accent: accents.dark }
  const properties = Object.entries({ ...PALETTE.light, accent: accents.light }).map(([name, light]) => {
    const property = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return `--${property}: light-dark(${light}, ${dark[name as keyof typeof dark]});`
  })
  return `:root {\n${properties.join('\n')}\n}\n`
}
