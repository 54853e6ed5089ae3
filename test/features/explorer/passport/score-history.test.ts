import { expect, test } from 'bun:test'
import { renderLastChange } from '../../../../src/features/explorer/passport/passport-history.ts'
import { readable, serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, rescore } from '../../../support/explorer/sample-passport.ts'
import { onEngine } from '../../../support/store/engines.ts'
import { credential, NOON, record } from '../../../support/store/records.ts'

test('the header names the three largest causes of the last change and counts the others', () => {
  const causes = [-9, 7, -5, 4, -1].map((delta, at) => ({ delta, words: `Credential ${at} by ${delta}` }))
  const describe = (number: number) => {
    const point = { id: 5, time: NOON, score: 9, delta: -4, causes: causes.slice(0, number) }
    return readable(renderLastChange([point]).markup).replace(/.* 2026 /, '')
  }
  const three = 'Credential 0 by -9 · Credential 1 by 7 · Credential 2 by -5'
  expect(describe(3)).toBe(three)
  expect(describe(4)).toBe(`${three} and 1 more`)
  expect(describe(5)).toBe(`${three} and 2 more`)
})

onEngine('sqlite', 'the score history', (open) => {
  test('the score history shows each change with its causes, as a chart and as a table', async () => {
    await using server = await servePeople([mira])
    await addDataPoint(server.store, 900)
    await rescore(server.store)
    const { text } = await server.look('/passports/12')
    const [, id] =
      /<a class="rise" href="#change-(\d+)" tabindex="-1"><title>2 January 2026: 1,057.5</.exec(text) ?? []
    expect(text).toContain(`<tr id="change-${id}"><td><time datetime="2026-01-02">2 Jan 2026</time>`)
    expect(text).toContain('<span><time datetime="2026-01-02">2 Jan 2026</time></span>\n</p>')
    expect(text).toContain('<svg class="history" aria-hidden="true">')
    const words = readable(text)
    expect(words).toContain(
      'Date Change Score Causes 2 Jan 2026 &#9650; +15 1,042.5 to 1,057.5 GitHub +15 (first recorded: 900)',
    )
    expect(words).toContain('&ndash; 1,042.5 first known score')
  })

  test('the header names the last change with its day and causes, and a fall has an arrow, a sign and a colour of its own', async () => {
    await using server = await servePeople([mira])
    for (const amount of [900, 400]) {
      await addDataPoint(server.store, amount)
      await rescore(server.store)
    }
    const { text } = await server.look('/passports/12')
    const [header = ''] = /<p class="row change">.*?<\/p>/s.exec(text) ?? []
    expect(readable(header)).toBe('&#9660; \u22125 on 2 January 2026 GitHub \u22125, 15 to 10 (now 400)')
    const [, id] = /href="#change-(\d+)"><span class="fall">/.exec(header) ?? []
    const [row = ''] = new RegExp(`<tr id="change-${id}">.*?</tr>`, 's').exec(text) ?? []
    expect(readable(row)).toBe(
      '2 Jan 2026 &#9660; \u22125 1,057.5 to 1,052.5 GitHub \u22125, 15 to 10 (now 400)',
    )
    // Events have no earlier values, so an earlier change does not say what was new.
    expect(readable(text)).toContain('1,042.5 to 1,057.5 GitHub +15 (first recorded) ')
    expect(text).toContain(`<a class="fall" href="#change-${id}" tabindex="-1">`)
    expect(text).toMatch(/<path class="fall" vector-effect="non-scaling-stroke" d="M[\d.]+ 16V[\d.]+"/)
    // The highest score and the first one are labelled at their heights. The axis begins a little below the lowest score.
    expect(text).toContain('<text y="16%" dy="4">1,057.5</text>\n<text y="88%" dy="4">1,042.5</text>')
  })

  test('the score history of a new passport says when and with which score it was first recorded', async () => {
    await using server = await servePeople([mira])
    const { text } = await server.look('/passports/12')
    expect(readable(/<section id="history">.*?<\/section>/s.exec(text)?.[0] ?? '')).toBe(
      'Score history First recorded on 2 January 2026 with a score of 1,042.5.',
    )
    expect(text).not.toContain('<p class="last">')
  })

  test('the first calculation of a record without a total is named as such', async () => {
    const credentials = [credential('a', { category: 'Identity', score: 5, maxScore: 8 })]
    const scores = { total: 0, activity: 0, identity: 0, skills: 0 }
    await using server = await servePeople([record(1, { scores, credentials, stale: true })])
    await rescore(server.store)
    expect(readable((await server.look('/passports/1')).text)).toContain('+5 0 to 5 first calculation +5')
  })

  test('the score history shows only the latest 60 changes', async () => {
    await using store = await open([record(1)])
    for (let total = 1; total <= 70; total++) {
      const passport = record(1, { scores: { total, activity: total, identity: 0, skills: 0 } })
      await store.records.save([{ kind: 'passport', passport }], { now: NOON + total, restore: false })
    }
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/1')
    expect(text.match(/<a class="rise" href="#change-/g)).toHaveLength(61)
    const [shown = '', folded = ''] = text.split('<details id="changes">')
    expect(shown.match(/<tr id="change-/g)).toHaveLength(5)
    expect(folded.match(/<tr id="change-/g)).toHaveLength(56)
    expect(readable(text)).toContain('+1 69 to 70 imported record +1')
    expect(readable(folded)).toStartWith('56 earlier changes')
    expect(readable(text)).toContain('&ndash; 10 earlier score')
  })
})
