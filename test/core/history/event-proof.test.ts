import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { EventContent } from '../../../src/core/history/event.ts'
import { EMPTY_HEAD, leafOf, leafOfStored, nextHead, saltOf } from '../../../src/core/history/hash-chain.ts'

const SECRET = '000102030405060708090a0b0c0d0e0f'
const TIME = Date.UTC(2026, 10, 17, 12, 0, 0, 5)

const CONTENTS: EventContent[] = [
  { type: 'passport.added', passportId: 7, score: 42.5, human: true, rules: '' },
  { type: 'passport.changed', passportId: 7, fields: ['main_wallet', 'passport_profile.bio'] },
  { type: 'passport.merged', passportId: 7, into: 3 },
  { type: 'passport.unmerged', passportId: 7, from: 3 },
  { type: 'passport.removed', passportId: 7 },
  {
    type: 'score.changed',
    passportId: 7,
    change: {
      score: [42.5, 50],
      skills: [20.25, 27.75],
      human: [true, false],
      calculatedAt: [TIME - 1000, TIME],
      rules: ['', '2026-11:ab12cd34'],
      credentials: [
        { type: 'github', cause: 'value', score: [20.25, 27], before: { value: '' } },
        { type: 'ens', cause: 'gone', score: [1, null], before: { name: 'ENS' } },
      ],
    },
  },
  { type: 'rules.changed', rules: ['', '2026-11:ab12cd34'] },
]

/** These hashes are frozen: heads that others have stored depend on them. */
const LEAVES = [
  '1ec82f725b781b1e13e631edcaff53415d661608790a4f17f43894e012bb202b',
  'f120f4f58c0d7039d414d7da701a26863f8d391d22d4b0a4406cdc3b0f56c687',
  '5f800e051276161c07a799364a38c4f619bcdd3289d31af02decd8e6b4204799',
  '1ddcda9344754d09b02df37a454b1a7c64f5a2cc6104edb42e550e323813f0a5',
  '29e911a3195515046403520ed4af55760e2f9bc4bbcae8d909e3f2747fd2d453',
  '4c7e7525072f929548cb1ef0ecf77ca9a1b970c00cd48a21860063f4131eee11',
  '8e731623a3730e876b86a5bcb834a162335e50cce7587e0e07aaa5c39422c75e',
]
const HEAD = 'd611d67d07c7d2cb58bcd090e00799fad35ab809023a16f9dda65952a0ef2f5c'
const SALT = 'de650467bb877b97af2e04061fd08adb'

test('the leaf of each type of event and the head of all of them are those of the first version', () => {
  const leaves = CONTENTS.map((content, at) => {
    const isPublic = content.type === 'passport.removed' || content.type === 'rules.changed'
    const sequence = at + 1
    return leafOfStored({ ...content, sequence, time: TIME, salt: isPublic ? '' : saltOf(SECRET, sequence) })
  })
  expect(leaves).toEqual(LEAVES)
  expect(leaves.reduce(nextHead, EMPTY_HEAD)).toBe(HEAD)
})

test('a salt is the first half of an HMAC of the number of the event', () => {
  expect(saltOf(SECRET, 918273)).toBe(SALT)
  expect(saltOf(SECRET, 918274)).not.toBe(SALT)
})

test('the example of a hashed event in the docs has the leaf and the head of its event and salt', () => {
  const page = readFileSync('docs/api/events.md', 'utf8')
  const block = page.split('```json\n').find((text) => text.includes('"leaf"') && text.includes('"head"'))
  const { event, salt, leaf, head } = JSON.parse(block?.split('```')[0] ?? '')
  expect(leafOf(event.sequence, event, salt)).toBe(leaf)
  expect(nextHead(EMPTY_HEAD, leaf)).toBe(head)
})
