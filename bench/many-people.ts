import { inventPeople, type Person } from '../src/ingest/demo/people.ts'

/** As many people as asked for, one after the other: the demo people over and over, with ids and wallets of their own. */
export function* manyPeople(count: number): Generator<Person> {
  const templates = inventPeople().filter(({ mergedInto }) => mergedInto === undefined)
  for (let id = 1; id <= count; id++) {
    const template = templates[id % templates.length] as Person
    const wallet = (at: number) =>
      `0xde30${id.toString(16).padStart(34, '0')}${at.toString(16).padStart(2, '0')}`
    const wallets = template.verifiedWallets.map((_, at) => wallet(at))
    yield {
      ...template,
      id,
      stale: false,
      mainWallet: wallets[0] ?? '',
      verifiedWallets: wallets,
      profile: { ...template.profile, displayName: `${template.profile.displayName} ${id}` },
    }
  }
}
