import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

export const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type NamedTest = { file: string; title: string }

export const testsNamedIn = (text: string): NamedTest[] =>
  [...text.matchAll(/`(test\/[^`]+\.test\.ts)`\s+"([^"]+)"/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }))

export const isTest = ({ file, title }: NamedTest) =>
  existsSync(join(ROOT, file)) && readPage(file).includes(`'${title}'`)
