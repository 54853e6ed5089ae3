import { expect, test } from 'bun:test'
import { findDifference, toComparable } from '../support/explorer/comparable-markup.ts'

test('a comparison of pages ignores white space beside blocks, and hashes of assets', () => {
  const before = '<ul><li>one <b>two</b></li></ul>\n<script src="/assets/me.1a2b3c.js"></script>'
  const after =
    '<ul>\n  <li>\n    one\n    <b>two</b>\n  </li>\n</ul>\n<script src="/assets/me.4d5e6f.js"></script>'
  expect(findDifference(toComparable(before), toComparable(after))).toBeUndefined()
})

test('a comparison of pages finds a lost space between words, a changed attribute and a line of code', () => {
  for (const [before, after] of [
    ['<p>one <b>two</b></p>', '<p>one<b>two</b></p>'],
    ['<p class="soft">one</p>', '<p>one</p>'],
    ['<pre>one\n  two</pre>', '<pre>one\n two</pre>'],
  ] as const)
    expect(findDifference(toComparable(before), toComparable(after))).toBeString()
})
