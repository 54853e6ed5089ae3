import { expect, test } from 'bun:test'
import { httpAgent, serveMcpHere } from '../../support/mcp-agent.ts'
import { onEngine } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

onEngine('sqlite', 'failures of mcp', (open) => {
  test('an unexpected error is logged, and the client gets a sentence without details', async () => {
    await using store = await open([record(1)])
    const passports = { ...store.passports, findByKeys: () => Promise.reject(new Error('on purpose')) }
    await using server = await serveMcpHere({ ...store, passports })
    await using agent = await httpAgent(server.url)
    const detail = 'Something went wrong on our side.'
    expect(await agent.call('get_passport', { passport: '1' })).toEqual({
      text: detail,
      data: { code: 'internal', detail },
      isError: true,
    })
    expect(server.lines).toEqual([expect.stringContaining('on purpose')])
  })
})
