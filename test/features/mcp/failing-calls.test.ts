import { expect, test } from 'bun:test'
import { httpAgent, serveMcpHere } from '../../support/mcp-agent.ts'
import { onEngine } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

onEngine('sqlite', 'the index for filters of mcp', (open) => {
  test('a search with a filter says that the index is being built, other calls work meanwhile, and a later search works', async () => {
    await using store = await open([record(1), record(2, { human: true })])
    const held = Promise.withResolvers<void>()
    await using server = await serveMcpHere(store, {
      ...store.listing,
      listFacets: (ids) => held.promise.then(() => store.listing.listFacets(ids)),
    })
    await using agent = await httpAgent(server.url)
    const search = () => agent.call('search_passports', { filter: 'human:true' })
    const detail = 'The index for filters is being built: 0 % done. Try again shortly.'
    expect(await search()).toEqual({ text: detail, data: { code: 'not_ready', detail }, isError: true })
    expect((await agent.call('search_passports')).data).toMatchObject({ total: 2 })
    held.resolve()
    await until(async () => !(await search()).isError)
    expect((await search()).data).toMatchObject({ total: 1, passports: [{ passport_id: 2 }] })
    expect(server.lines).toEqual([])
  })

  test('an unexpected error is logged, and the client gets a sentence without details', async () => {
    await using store = await open([record(1)])
    const passports = { ...store.passports, findByKeys: () => Promise.reject(new Error('on purpose')) }
    await using server = await serveMcpHere({ ...store, passports }, store.listing)
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
