// Checks the snapshot of the form. verify-snapshot.ts precedes it in the same script.

import { originOf, type Verification, verifySnapshot } from './verify-snapshot.ts'

const part = (id: string) => document.getElementById(id) as HTMLTextAreaElement
const snapshot = part('snapshot')
part('check').addEventListener('click', () => check())
addEventListener('hashchange', () => location.reload())

// The fragment of the URL is a snapshot, or the number of a passport of this site.
const fragment = location.hash.slice(1)
if (fragment.includes('.')) snapshot.value = fragment
if (/\d/.test(fragment)) void check(fragment)
if (/^\d+$/.test(fragment))
  part('example').textContent = part('example').textContent.replace(
    '/passports/1 ',
    `/passports/${fragment} `,
  )

async function check(id = '') {
  try {
    if (!crypto.subtle) throw new Error('Browsers check signatures over https only.')
    if (/^\d+$/.test(id)) snapshot.value = await fetchText(`/api/v3/passports/${id}`, 'application/vc+jwt')
    const find = async (id: string, path: string, did: string) => {
      const text = part(id).value.trim()
      // Nothing is fetched from other sites.
      if (text === '' && !originOf(did)?.endsWith(`//${location.host}`))
        throw new Error(`The issuer is ${did}, not this site. Paste its keys and rules.`)
      return JSON.parse(text || (await fetchText(path)))
    }
    const findKeys = (did: string) => find('keys', '/.well-known/jwks.json', did)
    let set: { types: Record<string, { name: string }> } | undefined
    const findRules = async (stamp: string, did: string) => {
      set = await find('rules', `/api/v3/rules/${encodeURIComponent(stamp)}`, did)
      return set
    }
    const options = { keys: findKeys, rules: findRules, now: Date.now() }
    report(await verifySnapshot(snapshot.value, options), (type) => set?.types[type]?.name ?? type)
  } catch (error) {
    const { message } = error as Error
    report({ verdict: 'not checked', message, checked: [], lines: [] })
  }
}

async function fetchText(path: string, type = '*/*') {
  const response = await fetch(path, { headers: { Accept: type } })
  if (response.ok) return response.text()
  const { detail = `status ${response.status}` } = await response.json()
  throw new Error(`${path}: ${detail}`)
}

type Result = Omit<Verification, 'verdict'> & { verdict: Verification['verdict'] | 'not checked' }

function report(result: Result, nameOf = (type: string) => type) {
  const { verdict, failure = '', message = '', checked, lines } = result
  const rows = lines
    .toSorted((a, b) => b.points - a.points)
    .map(({ type, points, formula }) =>
      make('tr', make('th', nameOf(type)), make('td', formula), make('td', String(points))),
    )
  if (rows.length > 0)
    rows.unshift(make('tr', ...['Credential', 'Calculation', 'Points'].map((name) => make('th', name))))
  const subject = verdict === 'valid' ? 'This score is genuine: the snapshot' : 'The snapshot'
  const [title, words] = /^not_[abj]/.test(failure)
    ? ['This is not a snapshot', 'A snapshot has three long parts with dots between them. Copy all of it.']
    : [`${subject} is ${verdict}${failure && `: ${failure.replaceAll('_', ' ')}`}`, message]
  const parts = [
    make('h2', title),
    make('p', words),
    make('ul', ...checked.map(toItem)),
    make('table', ...rows),
  ]
  const section = make('section', ...parts.filter(({ textContent }) => textContent !== ''))
  section.className = verdict.replace(' ', '-')
  part('verdict').replaceChildren(section)
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

function toItem(sentence: string) {
  const [before = '', href, after = ''] = sentence
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => DATES.format(new Date(time)))
    .split(/(https?:\S+\w)/)
  return make('li', before, href ? Object.assign(make('a', href), { href }) : '', after)
}

function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, ...children: (Node | string)[]) {
  const element = document.createElement(tag)
  element.append(...children)
  return element
}
