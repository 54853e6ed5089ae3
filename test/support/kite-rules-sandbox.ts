import { callHere } from './cli-in-process.ts'
import { workplace } from './cli-sandbox.ts'
import type { MakeDatabase } from './store/engines.ts'
import { dataPoint, record } from './store/records.ts'
import { kiteRules } from './store/rule-files.ts'

export const FILES = {
  'one.json': kiteRules('one'),
  'two.json': kiteRules('two', { multiplier: 2 }),
  'three.json': kiteRules('three', { multiplier: 3 }),
}

/** A database with one passport that has ten kites, and the rule files. */
export async function kitePlace(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, {
    records: [record(1, { dataPoints: [dataPoint('kites', 10)], stale: true })],
    files: FILES,
  })
  return {
    ...here,
    scoreOf: () => here.look(async (store) => (await store.passports.find({ id: 1 }))?.scores.total),
    rules: (...args: string[]) => here.call('rules', ...args),
    /** Runs a command with RULES set to one of the files. */
    withFile: (name: string, ...args: string[]) =>
      callHere(args, { env: { ...here.env, RULES: here.path(name) } }),
  }
}
