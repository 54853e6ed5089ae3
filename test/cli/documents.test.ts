import { expect, test } from 'bun:test'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { expectComplete, expectTrue, found } from '../support/documents.ts'
import { saveRecords, withEngine } from '../support/engines.ts'
import { until } from '../support/processes.ts'
import { record } from '../support/records.ts'
import { workplace } from '../support/workplace.ts'

const people = (count: number, stale = false) =>
  Array.from({ length: count }, (_, id) => record(id, { stale }))

withEngine('sqlite', 'documents', (makeDatabase) => {
  test.each([[[]], [['--workers', '2']]])('serve %p makes those of all passports', async (options) => {
    await using here = await workplace(makeDatabase, { records: people(150, true) })
    await using _ = await here.serve(options)
    await using store = await here.open(V1_PRESS.form)
    const refs = people(151)
    await until(() => refs.slice(0, 150).every((ref) => found(store, ref).passport !== undefined))
    await expectComplete(store, refs)
    await saveRecords(store, [record(7, { connections: 3 }), record(150)])
    await expectTrue(store, refs)
    await until(() => refs.every((ref) => found(store, ref).passport !== undefined))
    await expectComplete(store, refs)
  })

  test('serve can be stopped before all of them are made', async () => {
    await using here = await workplace(makeDatabase, { records: people(20_000) })
    await using server = await here.serve()
    await using store = await here.open(V1_PRESS.form)
    await until(() => found(store, { id: 0 }).passport !== undefined)
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(found(store, { id: 19_999 }).passport).toBeUndefined()
  })
})
