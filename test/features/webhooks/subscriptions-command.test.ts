import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { subscribe } from '../../support/http/webhook-receiver.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { record } from '../../support/store/records.ts'

withEveryEngine('subscriptions', (makeDatabase) => {
  test('an operator lists, pauses, resumes and removes subscriptions', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1), record(2)] })
    expect(await here.call('subscriptions')).toMatchObject({
      out: '',
      err: `There are no subscriptions in ${here.database}.\n`,
    })
    const { id } = await here.look((store) =>
      subscribe(store, 'https://example.com/hook', {
        id: 'sub_1',
        keyId: 'k1',
        lastError: 'Bad \u001b[1m day.',
      }),
    )
    const list = async () => (await here.json('subscriptions', 'list'))[0]
    expect(await list()).toMatchObject({ id, key: 'k1', state: 'active', lag: 2 })
    expect(await list()).not.toHaveProperty('secret')
    expect((await here.call('subscriptions')).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'KEY', 'STATE', 'LAG', 'FAILURES', 'URL', 'PROBLEM'],
      [id, 'k1', 'active', '2', '0', 'https://example.com/hook', 'Bad \ufffd[1m day.'],
      [''],
    ])
    expect((await here.call('subscriptions', 'pause', id)).err).toBe(`Subscription ${id} is paused.\n`)
    expect(await list()).toMatchObject({ state: 'paused' })
    expect((await here.call('subscriptions', 'resume', id)).err).toBe(`Subscription ${id} is active.\n`)
    expect(await list()).toMatchObject({ state: 'active' })
    expect((await here.call('subscriptions', 'remove', id)).err).toBe(`Subscription ${id} is removed.\n`)
    expect(await list()).toBeUndefined()
    await here.refuses(`There is no subscription "${id}" in ${here.database}`, 'subscriptions', 'pause', id)
    expect(
      (await here.look((store) => store.data(AUDIT).list({ limit: 9 }))).map(({ action }) => action),
    ).toEqual([
      'subscriptions.remove',
      'subscriptions.change',
      'subscriptions.change',
      'subscriptions.create',
    ])
  })
})
