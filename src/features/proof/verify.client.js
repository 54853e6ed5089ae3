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
const example = document.getElementById('example')
if (/^\d+$/.test(given))
  example.textContent = example.textContent.replace('/passports/1 ', `/passports/${given} `)

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

function report({ verdict, failure = '', message = '', checked, lines }, nameOf) {
  const rows = lines
    .toSorted((one, other) => other.points - one.points)
    .map(({ type, points, formula }) =>
      make('tr', make('th', nameOf(type)), make('td', formula), make('td', points)),
    )
  if (rows.length > 0)
    rows.unshift(make('tr', ...['Credential', 'Calculation', 'Points'].map((name) => make('th', name))))
  const [title, words] = /^not_[abj]/.test(failure)
    ? ['This is not a snapshot', 'A snapshot has three long parts with dots between them. Copy all of it.']
    : [
        `${verdict === 'valid' ? 'This score is genuine: the' : 'The'} snapshot is ${verdict}${failure && `: ${failure.replaceAll('_', ' ')}`}`,
        message,
      ]
  const parts = [
    make('h2', title),
    make('p', words),
    make('ul', ...checked.map(toItem)),
    make('table', ...rows),
  ]
  const section = make('section', ...parts.filter(({ textContent }) => textContent !== ''))
  section.className = verdict.replace(' ', '-')
  place.replaceChildren(section)
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

function toItem(sentence) {
  const [before, href, after = ''] = sentence
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => DATES.format(new Date(time)))
    .split(/(https?:\S+\w)/)
  return make('li', before, href ? Object.assign(make('a', href), { href }) : '', after)
}

function make(name, ...children) {
  const element = document.createElement(name)
  element.append(...children)
  return element
}
