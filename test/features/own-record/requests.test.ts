import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { REQUESTS } from '../../support/features/own-record.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'

const TEXT = 'I moved.\n\nSee \u001b[31mhttps://example.com'

withEveryEngine('requests', (makeDatabase) => {
  test('lists the open requests, and deletes one that is done', async () => {
    await using here = await workplace(makeDatabase, { records: [record(7)] })
    expect(await here.call('requests')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('no open requests'),
    })
    await here.look((store) =>
      store.data(REQUESTS).add({ id: 'abc', passport_id: 7, text: TEXT, created_at: NOON }),
    )
    expect((await here.call('requests', 'list')).out).toBe(
      'Request abc of passport 7, 2026-01-02T12:00:00.000Z\n\nI moved.\n\nSee \ufffd[31mhttps://example.com\n\n',
    )
    expect(await here.json('requests', 'list')).toEqual([
      { id: 'abc', passport_id: 7, text: TEXT, created_at: '2026-01-02T12:00:00.000Z' },
    ])
    await here.refuses('There is no open request "abd"', 'requests', 'done', 'abd')
    expect((await here.call('requests', 'done', 'abc')).err).toBe('Request abc is done and deleted.\n')
    expect(await here.json('requests')).toEqual([])
    expect((await here.json('audit')).at(-1)).toMatchObject({
      actor: 'cli',
      action: 'requests.done',
      detail: { requests: ['abc'] },
    })
  })

  test('a request of a passport that was removed is not stored', async () => {
    await using here = await workplace(makeDatabase, { records: [record(7)] })
    const request = { id: 'abc', passport_id: 7, text: TEXT, created_at: NOON }
    await here.look((store) => store.data(REQUESTS).add(request))
    await here.look((store) => store.passports.remove(7, NOON))
    expect(await here.json('requests')).toEqual([])
    const added = here.look((store) => store.data(REQUESTS).add({ ...request, id: 'abd' }))
    expect(added).rejects.toThrow('not found')
    await added.catch(() => undefined)
  })
})
