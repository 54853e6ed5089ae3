/** What wrk asks for. */
export type Load = {
  /** Lua that defines `next_request`, which gives the text of a request. `from` is how many were made before. */
  script(from: number): string
}

export type Request = { path: string; headers?: Readonly<Record<string, string>> }

type Headers = Readonly<Record<string, string>>

/** A path for each request, from an expression in Lua: a text in quotes, or one with `math.random`. */
export function eachFrom(expression: string, headers: Headers = {}): Load {
  return {
    script: (from) => `math.randomseed(${from + 1})
local rest
function init() rest = string.sub(wrk.format('GET', '', ${luaTable(headers)}), 5) end
function next_request() return 'GET ' .. ${expression} .. rest end`,
  }
}

/** Each of a list after the other, and from the beginning again. */
export function inTurn(requests: readonly Request[], headers: Headers = {}): Load {
  const lines = requests.map((one) => `{${quote(one.path)}, ${luaTable({ ...headers, ...one.headers })}}`)
  return {
    script: (from) => `local list = {
${lines.join(',\n')}
}
local texts, at = {}, ${from % requests.length}
function init()
  for index, one in ipairs(list) do texts[index] = wrk.format('GET', one[1], one[2]) end
end
function next_request()
  at = at % #texts + 1
  return texts[at]
end`,
  }
}

const luaTable = (headers: Headers) =>
  `{${Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)}}`

const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
