const EVERY_MILLISECONDS = 2000

export function createMigrationLog(write: (sentence: string) => void, now: () => number) {
  let last = now()
  return (done: number, total: number): void => {
    if (now() - last < EVERY_MILLISECONDS) return
    last = now()
    write(`Migrating the database: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} passports.`)
  }
}
