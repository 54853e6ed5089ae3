import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callHere } from '../../support/cli-in-process.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('the built-in rule set passes "rules check"', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const { out } = await callHere(['rules', 'show', '--built-in'])
  writeFileSync(join(cwd, 'mine.json'), out)
  expect(await callHere(['rules', 'check', 'mine.json'], { cwd })).toEqual({
    out: 'mine.json is a valid rule set: version 2026-11, 46 types, 5 levels.\n',
    err: '',
    code: 0,
  })
})

test('rules check counts all problems, and shows the first 100', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const check = async (name: string, contents?: object) => {
    if (contents) writeFileSync(join(cwd, name), JSON.stringify(contents))
    const { err, code } = await callHere(['rules', 'check', name], { cwd })
    expect(code).toBe(1)
    return err
  }
  const few = await check('few.json', { version: '1', types: { a: { name: 'A', max_score: -1 } } })
  expect(few).toContain('few.json: types.a.category is missing.\n')
  expect(few).toContain('few.json: types.a.max_score must be at least 0, got -1.\n')
  expect(few).toEndWith('passportd: few.json has 6 problems.\n')
  const types = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`type${at}`, 1]))
  const lines = (await check('many.json', { version: '1', types })).trimEnd().split('\n')
  expect([lines.length, ...lines.slice(99)]).toEqual([
    102,
    'many.json: types.type99 must be an object, got 1.',
    'many.json: 50 more problems.',
    'passportd: many.json has 150 problems.',
  ])
  expect(await check('none.json')).toBe(
    'passportd: none.json cannot be read as a rule set: there is no such file.\n',
  )
})
