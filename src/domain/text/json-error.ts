const SPACE = /[ \t\n\r]*/y
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy

/** The next token may be: a value, a value or `]`, a name, a name or `}`, a colon, or the end of a value. */
type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'end'

/** The place of the first token that makes a text invalid JSON: the JSON.parse() of the runtime does not tell it. */
export function findJsonError(text: string): number {
  /** The brackets that close the open lists and objects. */
  const open: string[] = []
  let state: State | undefined = 'value'
  for (let at = 0; ; ) {
    at += matchAt(SPACE, text, at).length
    const token = matchAt(TOKEN, text, at)
    state = nextState(state, token, open)
    if (state === undefined) return at
    at += token.length
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** `undefined` if the token is not possible here. */
function nextState(state: State, token: string, open: string[]): State | undefined {
  const mayClose = state !== 'value' && state !== 'name' && state !== 'colon'
  if (mayClose && token !== '' && token === open.at(-1)) {
    open.pop()
    return 'end'
  }
  switch (state) {
    case 'colon':
      return token === ':' ? 'value' : undefined
    case 'name':
    case 'first name':
      return token.startsWith('"') ? 'colon' : undefined
    case 'end':
      if (token !== ',' || open.length === 0) return undefined
      return open.at(-1) === '}' ? 'name' : 'value'
    default:
      return startValue(token, open)
  }
}

function startValue(token: string, open: string[]): State | undefined {
  if (token === '{' || token === '[') {
    open.push(token === '{' ? '}' : ']')
    return token === '{' ? 'first name' : 'first value'
  }
  return token === '' || ']},:'.includes(token) ? undefined : 'end'
}
