// Checks the snapshot of the form. verify-snapshot.ts precedes it in the same script.

const [button, snapshot, keys, rules, place] = ['check', 'snapshot', 'keys', 'rules', 'verdict'].map((id) =>
  document.getElementById(id),
)
button.addEventListener('click', () => check())
addEventListener('hashchange', () => location.reload())

// The fragment of the URL is a snapshot, or the number of a passport of this site.
const given = location.hash.slice(1)
if (given.includes('.')) snapshot.value = given
if (/\d/.test(given)) void check(given)

async function check(id = '') {
  try {
    if (!crypto.subtle) throw new Error('Browsers check signatures over https only.')
    if (/^\d+$/.test(id)) snapshot.value = await read(`/api/v3/passports/${id}`, 'application/vc+jwt')
    const find = async (field, path, did) => {
      const text = field.value.trim()
      // Nothing is fetched from other sites.
      if (text === '' && !originOf(did).endsWith(`//${location.host}`))
        throw new Error(`The issuer is ${did}, not this site. Paste its keys and rules.`)
      return JSON.parse(text || (await read(path)))
    }
    const findKeys = (did) => find(keys, '/.well-known/jwks.json', did)
    let set
    const findRules = async (stamp, did) => {
      set = await find(rules, `/api/v3/rules/${encodeURIComponent(stamp)}`, did)
      return set
    }
    const options = { keys: findKeys, rules: findRules, now: Date.now() }
    report(await verifySnapshot(snapshot.value, options), (type) => set.types[type]?.name ?? type)
  } catch ({ message }) {
    report({ verdict: 'not checked', message, checked: [], lines: [] })
  }
}

async function read(path, type = '*/*') {
  const response = await fetch(path, { headers: { Accept: type } })
  if (response.ok) return response.text()
  const { detail = `status ${response.status}` } = await response.json()
  throw new Error(`${path}: ${detail}`)
}

/** The failures of a text that is no snapshot. */
const NO_SNAPSHOT = ['not_a_jwt', 'not_base64url', 'not_json']

function report({ verdict, failure, message = '', checked, lines }, nameOf) {
  const rows = lines
    .toSorted((one, other) => other.points - one.points)
    .map(({ type, points, formula }) => {
      const words = formula.replace('in the record', 'from the imported record')
      return make('tr', make('th', nameOf(type)), make('td', words), make('td', points))
    })
  const heads = ['Credential', 'Calculation', 'Points'].map((name) => make('th', name))
  const table = rows.length > 0 ? [make('table', make('tr', ...heads), ...rows)] : []
  const [title, words] = NO_SNAPSHOT.includes(failure)
    ? ['This is not a snapshot', 'A snapshot has three long parts with dots between them. Copy all of it.']
    : [`The snapshot is ${verdict}${failure ? `: ${failure.replaceAll('_', ' ')}` : ''}`, message]
  const list = make('ul', ...checked.map((sentence) => make('li', ...toWords(sentence))))
  const section = make('section', make('h2', title), make('p', words), list, ...table)
  section.className = verdict.replace(' ', '-')
  place.replaceChildren(section)
}

/** Links the page of a person, and writes times and hosts as people do. */
function toWords(sentence) {
  const [, before, name, address] = /^(.*)(passport \d+), (http.*)\.$/.exec(sentence) ?? []
  if (name) {
    const link = make('a', name)
    link.href = address.replace('/api/v3', '')
    return [before, link, '.']
  }
  return [
    sentence
      .replace(/T(\d\d:\d\d):[\d.]+Z/g, ' $1 UTC')
      .replace(/did:web:(.*)\.$/, (_, host) => `${decodeURIComponent(host)}.`),
  ]
}

function make(name, ...children) {
  const element = document.createElement(name)
  element.append(...children)
  return element
}
