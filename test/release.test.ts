import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { files } from '../package.json'
import { readPage } from './support/docs/pages.ts'
import { VERSION } from './support/program/commands.ts'

const isRelease = !VERSION.endsWith('-dev')
const next = VERSION.replace('-dev', '')

test('CHANGELOG.md begins with the version of package.json, as unreleased until its release', () => {
  const [, heading] = /^## (.*)$/m.exec(readPage('CHANGELOG.md')) ?? []
  expect(heading).toBe(isRelease ? next : `Unreleased (${next})`)
})

test('SECURITY.md supports the latest release only', () => {
  const [, released = ''] = /^## (\d.*)$/m.exec(readPage('CHANGELOG.md')) ?? []
  const rows = [...readPage('SECURITY.md').matchAll(/^\| ([\d.]+) +\| (yes|no) +\|$/gm)]
  const [first, ...others] = rows.map(([, version, isSupported]) => `${version} ${isSupported}`)
  expect(first).toBe(`${released.replace(/\.\d+$/, '')} yes`)
  expect(others.length).toBeGreaterThan(0)
  expect(others.filter((row) => !row.endsWith(' no'))).toEqual([])
})

test('the table of schemas in docs/upgrade.md ends with this version, as "next" until its release', () => {
  const rows = [...readPage('docs/upgrade.md').matchAll(/^\| (\S+) +\| \d+ +\| \d+ +\|$/gm)]
  expect(rows.at(-1)?.[1]).toBe(isRelease ? next : 'next')
})

test('docs/operate.md names every action of the audit log', () => {
  const page = readPage('docs/operate.md')
  const folder = join(import.meta.dir, '../src')
  const files = [...new Bun.Glob('**/*.ts').scanSync(folder)]
  const actions = files
    .filter((path) => /sql\/(keys|rules|settings)\.ts$|statements\.ts$/.test(path))
    .flatMap(
      (path) =>
        readPage(`src/${path}`).match(
          /(?<!type: )'(keys|rules|passports|retirement|requests|subscriptions)\.[a-z]+'/g,
        ) ?? [],
    )
    .map((text) => text.slice(1, -1))
  expect(actions).toContain('subscriptions.rotate')
  expect(actions.filter((action) => !page.includes(`\`${action}\``))).toEqual([])
})

test('a release has the files of deploy/ that the docs link', () => {
  const pages = readdirSync(join(import.meta.dir, '../docs')).filter((name) => name.endsWith('.md'))
  const links = pages.flatMap((name) =>
    [...readPage(`docs/${name}`).matchAll(/\]\(\.\.\/(deploy\/[^)#]+)/g)].map(([, path = '']) => path),
  )
  expect(links.length).toBeGreaterThan(10)
  const isReleased = (path: string) =>
    files.some((each) => path === each || path.startsWith(`${each}/`) || new Bun.Glob(each).match(path))
  expect(links.filter((path) => !isReleased(path))).toEqual([])
})
