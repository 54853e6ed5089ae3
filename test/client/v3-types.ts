// This file is only compiled: `tsc` checks it with the source of the client, and test/system/client/packed-client.test.ts with the packed types.
import {
  type Client,
  type PassportOptions,
  type V3Passport,
  type V3Record,
  type V3Standing,
  verifyWebhook,
} from '../../packages/client/src/index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = T extends (infer Item)[]
  ? Flat<Item>[]
  : T extends object
    ? { [Name in keyof T]: Flat<T[Name]> }
    : T

/** Compiles only if the type of the value is exactly `Expected`. */
const has =
  <Expected>() =>
  <Value>(_: Value, _same: Same<Flat<Value>, Flat<Expected>>) =>
    undefined

/** Results have exactly the fields that the options ask for. */
export async function results({ v3 }: Client, options: PassportOptions, names: ('score' | 'rules')[]) {
  has<V3Passport>()(await v3.passport(7), true)
  has<{ score: number; rules: string | null }>()(await v3.passport(7, { select: ['score', 'rules'] }), true)
  has<{ passport_profile: { display_name: string | null; tags: string[] } }>()(
    await v3.passport(7, { select: ['passport_profile.display_name', 'passport_profile.tags'] }),
    true,
  )
  has<{ credentials: { score: number; value: string | null }[] }>()(
    await v3.passport(7, { select: ['credentials.score', 'credentials.value'] }),
    true,
  )
  has<{ explanation: { lines: { accounts: { value: string }[] }[] } | null }>()(
    await v3.passport(7, { select: ['explanation.lines.accounts.value'] }),
    true,
  )
  // A whole field contains its parts, and `include` adds to `select`.
  has<{ score: number; standing: V3Standing | null }>()(
    await v3.passport(7, { select: ['standing.rank', 'standing', 'score'], include: ['standing'] }),
    true,
  )
  has<Required<Pick<V3Passport, 'credentials'>> & V3Passport>()(
    await v3.passport(7, { include: ['credentials'] }),
    true,
  )
  // Names that are known only at run time make no promise.
  const { score } = await v3.passport(7, { select: names })
  has<number | undefined>()(score, true)
  has<number | undefined>()((await v3.passport(7, options)).score, true)
  has<{ passport_id: number }[]>()((await v3.page({ select: ['passport_id'], groupBy: 'tag' })).items, true)
  for (const item of (await v3.lookup([7, 'github:zoe'], { select: ['score'] })).items)
    if ('passport' in item) has<{ score: number }>()(item.passport, true)
  for await (const passport of v3.list({ sort: '-activity_score', select: ['main_wallet'] }))
    has<{ main_wallet: string | null }>()(passport, true)
  const { types } = await v3.rules('2026-11+8c1f0a94d2')
  has<number | undefined>()(types.github?.max_score, true)
}

/** `types` narrows the events, and the type of a change narrows its fields. */
export async function changes({ v3 }: Client) {
  for await (const event of v3.events({ types: ['passport.merged', 'passport.unmerged'] })) {
    has<'passport.merged' | 'passport.unmerged'>()(event.type, true)
    has<number>()(event.type === 'passport.merged' ? event.data.into : event.data.from, true)
  }
  for await (const { type } of v3.events()) if (type === 'rules.changed') has<'rules.changed'>()(type, true)
  for await (const change of v3.copy({ select: ['score'], follow: true, after: await v3.cursor() })) {
    if (change.type === 'put') has<{ score: number; passport_id: number }>()(change.passport, true)
    if (change.type === 'delete') has<number | undefined>()(change.mergedInto, true)
    if (change.type === 'checkpoint') has<string>()(change.cursor, true)
  }
}

/** Records and webhooks have the types of the schemas. */
export async function writes({ v3 }: Client, request: Request, record: V3Record) {
  const { outcomes, cursor } = await v3.write([record, { passport: 7, type: 'github', value: 16 }])
  has<'added' | 'changed' | 'unchanged' | 'removed' | undefined>()(outcomes[0]?.outcome, true)
  await v3.passport(7, { after: cursor })
  const { secret, state } = await v3.subscriptions.create({
    url: 'https://hook.example',
    score: { above: 50 },
  })
  has<'active' | 'paused' | 'failed' | 'disabled'>()(state, true)
  const event = await verifyWebhook(request, secret ?? '')
  if (event.type === 'passport.merged') has<number>()(event.data.into, true)
}

/** Wrong names do not compile. */
export async function mistakes({ v3 }: Client) {
  // @ts-expect-error: there is no such field.
  await v3.passport(7, { select: ['scor'] })
  // @ts-expect-error: there is no such field in a list.
  await v3.lookup([7], { select: ['credentials.rank'] })
  // @ts-expect-error: the keys of `caps` are not fields.
  await v3.lookup([7], { select: ['explanation.caps.Skills'] })
  has<{ score: number }[]>()((await v3.search('ada', { select: ['score'] })).items, true)
  // @ts-expect-error: a search is not of a time.
  await v3.search('ada', { since: '2026-10-01' })
  // @ts-expect-error: there is no such part.
  await v3.passport(7, { include: ['score'] })
  // @ts-expect-error: passports cannot be sorted by this field.
  v3.list({ sort: 'human' })
  // @ts-expect-error: passports cannot be counted by this field.
  await v3.page({ groupBy: 'score' })
  // @ts-expect-error: an iteration has no groups.
  v3.list({ groupBy: 'type' })
  // @ts-expect-error: a data point has a value, unless it is withdrawn.
  await v3.write([{ passport: 7, type: 'github' }])
  await v3.write([{ passport: 7, type: 'github', withdrawn: true }])
  // @ts-expect-error: there is no such type.
  v3.events({ types: ['passport.deleted'] })
  // @ts-expect-error: this field was not selected.
  void (await v3.passport(7, { select: ['rules'] })).score
  // @ts-expect-error: these events have other data.
  for await (const event of v3.events({ types: ['passport.merged'] })) void event.data.score
  // @ts-expect-error: a data point needs a type.
  await v3.write([{ passport: 7, value: 1 }])
  // @ts-expect-error: a webhook cannot be set to this state.
  await v3.subscriptions.change('sub_1', { state: 'failed' })
  // @ts-expect-error: a copy has all passports.
  v3.copy({ filter: 'human:true' })
}
