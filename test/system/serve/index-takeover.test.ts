import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveProcess } from '../../support/cli.ts'
import { readLines } from '../../support/log-lines.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { openStore, SAVED_INDEX } from '../../support/store/open.ts'
import { NOON, named } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

const PRELOAD = join(import.meta.dir, '../../support/threads/faults-of-the-index.ts')

const openFolder = (folder: string) =>
  openStore({ engine: 'sqlite', path: join(folder, 'data/passportd.db') }, { migrate: false })

test.skipIf(process.platform !== 'linux')(
  'a new index thread takes over after a crash, and an hour after a removal; no list fails, and a copy is saved at the end',
  async () => {
    using folder = tempFolder()
    const fault = join(folder.path, 'fault')
    const env = { BUN_OPTIONS: `--preload=${PRELOAD}`, FAULT: fault, TIERS: 'anonymous=unlimited' }
    await using server = await serveProcess([], { cwd: folder.path, env })
    const log = readLines(server.child.stderr)
    await using store = await openFolder(folder.path)
    const isLogged = (text: string) => log.some((line) => line.includes(text))
    const statuses = new Set<number>()
    const list = async (): Promise<number[]> => {
      const response = await fetch(`${server.url}/api/v3/passports`)
      statuses.add(response.status)
      return (await response.json()).items.map(({ passport_id }: { passport_id: number }) => passport_id)
    }
    const causeFault = (name: string) => {
      writeFileSync(fault, name)
      server.child.kill('SIGUSR2')
    }
    const untilListed = (ids: number[]) => until(async () => `${await list()}` === `${ids}`)

    await saveRecords(store, [named(1, 'Ada', 3), named(2, 'Bob', 2)])
    await untilListed([1, 2])
    causeFault('crash')
    await until(async () => (await list()).length === 2 && isLogged('The index-thread ended; restarting it'))
    await saveRecords(store, [named(3, 'Cleo', 1)])
    await untilListed([1, 2, 3])

    await store.passports.remove(1, NOON)
    await untilListed([2, 3])
    causeFault('hour')
    await until(async () => (await list()).length === 2 && isLogged('A new index thread took over.'))
    await saveRecords(store, [named(4, 'Dan', 0)])
    await untilListed([2, 3, 4])
    expect([...statuses]).toEqual([200])

    await store.passports.remove(2, NOON)
    await untilListed([3, 4])
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    const saved = Buffer.concat(await Array.fromAsync(store.data(SAVED_INDEX).read())).toString()
    expect(['ada', 'bob', 'cleo', 'dan'].map((name) => saved.includes(name))).toEqual([
      false,
      false,
      true,
      true,
    ])
  },
)
