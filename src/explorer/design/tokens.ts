/** The design tokens of pages and pictures. base.css has the same values as custom properties. */
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
