import { CommandError } from '../../core/basics/errors.ts'
import { parseDuration } from '../../core/basics/text/duration.ts'
import { formatInstant, parseInstant } from '../../core/basics/text/instant.ts'
import { toJsonText } from '../../core/basics/text/quote.ts'
import { parseWebAddress } from '../../core/basics/url.ts'
import {
  DATABASE_OPTIONS,
  defineCommand,
  invalidValue,
  JSON_OPTION,
  UsageError,
  type Values,
} from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { orNone } from '../../core/config/setting-parsers.ts'
import { parseKeyId } from '../../core/store/api-key.ts'
import { datePlan, findPlanProblem, NO_PLAN, type RetirementPlan } from './plan.ts'
import { type PlanContext, presentPlan, printPlan } from './print-plan.ts'
import { PLAN } from './statements.ts'

const DATE = {
  placeholder: 'DATE',
  accepts: 'a day or a time such as 2027-01-31T12:00Z, or none',
  parse: orNone(parseSecond),
} as const

const URL_OR_NONE = {
  placeholder: 'URL',
  accepts: 'a URL such as https://example.com/v2, or none',
  parse: orNone(parseWebAddress),
} as const

const OPTIONS = {
  deprecated: { ...DATE, about: 'start of the deprecation; none: use DEPRECATED_AT' },
  sunset: {
    ...DATE,
    about:
      'removal of V1: from then on every response is 410. A date less than 7 days ahead needs --yes; none: no removal',
  },
  successor: { ...URL_OR_NONE, about: 'replacement for V1; none deletes it' },
  notice: { ...URL_OR_NONE, about: 'your page about the retirement; none deletes it' },
  yes: { about: 'confirm a sunset that is near or past, or the action "clear"' },
  undo: { about: 'end the exemption of the key' },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export const retire = defineCommand({
  name: 'retire',
  summary: 'plan the retirement of V1',
  description: `Every running node applies a change within seconds. docs/retire.md describes the steps. "usage --v1"
    lists the clients that still use V1, and their owners.`,
  options: OPTIONS,
  defaultAction: 'show',
  forms: [
    { action: 'show', options: ['json'], about: 'shows the plan, the present state and the next change' },
    { action: 'set', options: ['deprecated', 'sunset', 'successor', 'notice', 'yes'] },
    { action: 'brownout add', args: 'START DURATION', options: [] },
    { action: 'brownout remove', args: 'START', options: [] },
    { action: 'exempt', args: 'KEY_ID', options: ['undo'], about: 'exempts this key from brownouts' },
    { action: 'clear', options: ['yes'], about: 'deletes the whole plan; needs --yes' },
  ],
  examples: ['passportd retire brownout add 2026-12-01T09:00Z 2h'],
  async run({ values, args, action }, terminal) {
    await using database = await openConfigured(terminal, values)
    const { config, store } = database
    const plan = (await store.data(PLAN).find()) ?? NO_PLAN
    const context = { ...database, plan, terminal, now: terminal.now() }
    const changed = await ACTIONS[action](context, args, values)
    if (!changed) return
    const problem = findPlanProblem(datePlan(changed, config.deprecatedAt))
    if (problem !== undefined) throw new CommandError(problem)
    await store.data(PLAN).save(changed)
    await printPlan({ ...context, plan: changed })
    terminal.err('Every node applies this plan within seconds.\n')
  },
})

/** An action may return a changed plan. */
type Action = (
  context: PlanContext,
  args: string[],
  values: Values<typeof OPTIONS>,
) => Promise<RetirementPlan | undefined>

/** A sunset that is nearer than this needs a confirmation. */
const NEAR = 7 * 86_400_000

const [SHORTEST, LONGEST] = [60_000, 31 * 86_400_000]

const ACTIONS = {
  async show(context, _, { json }) {
    if (json) context.terminal.out(toJsonText(presentPlan(context)))
    else await printPlan(context)
    return undefined
  },

  async set({ plan, now }, _, { deprecated, sunset, successor, notice, yes }) {
    const changes = { deprecatedAt: deprecated, sunsetAt: sunset, successor, notice }
    const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
    if (entries.length === 0)
      throw new UsageError(
        '"retire set" needs at least one of --deprecated, --sunset, --successor and --notice.',
      )
    if (typeof sunset === 'number' && sunset - now < NEAR && !yes) {
      const when = sunset <= now ? 'is in the past: V1 would be removed at once' : 'is less than 7 days away'
      throw new UsageError(`${formatInstant(sunset)} ${when}. Add --yes to confirm.`)
    }
    const all = Object.entries({ ...plan, ...Object.fromEntries(entries) })
    return Object.fromEntries(all.filter(([, value]) => value !== null)) as RetirementPlan
  },

  async 'brownout add'({ plan, now }, [startText = '', lengthText = '']) {
    const start = parseTimeOption('START', startText)
    const length = parseDuration(lengthText)
    if (length === undefined || length < SHORTEST || length > LONGEST)
      throw invalidValue('DURATION must be from 1m to 31d, such as 2h', lengthText)
    if (start <= now) throw invalidValue('A brownout must start in the future', startText)
    const all = [...plan.brownouts, { start, end: start + length }]
    return { ...plan, brownouts: all.sort((a, b) => a.start - b.start) }
  },

  async 'brownout remove'({ plan }, [startText = '']) {
    const start = parseTimeOption('START', startText)
    const brownouts = plan.brownouts.filter((brownout) => brownout.start !== start)
    if (brownouts.length < plan.brownouts.length) return { ...plan, brownouts }
    throw new CommandError(`No brownout starts at ${formatInstant(start)}: "retire" shows the starts.`)
  },

  async exempt({ plan, store, name }, [argument = ''], { undo }) {
    const id = parseKeyId(argument) ?? argument
    const others = plan.exempt.filter((other) => other !== id)
    if (undo && others.length === plan.exempt.length)
      throw new CommandError(`Key "${id}" is not exempt: "retire" shows the exempt keys.`)
    if (!undo && !(await store.keys.find(id)))
      throw new CommandError(`There is no key "${id}" in ${name}: "keys list" shows the ids.`)
    return { ...plan, exempt: undo ? others : [...others, id] }
  },

  async clear(_context, _args, { yes }) {
    if (!yes) throw new UsageError('"retire clear" deletes the whole plan. Add --yes to confirm.')
    return NO_PLAN
  },
} satisfies Record<string, Action>

function parseTimeOption(name: string, text: string): number {
  const time = parseSecond(text)
  if (time === undefined)
    throw invalidValue(`${name} must be a day or a time such as 2026-12-01T09:00Z`, text)
  return time
}

/** Rounds down, because headers have whole seconds. */
function parseSecond(text: string): number | undefined {
  const time = parseInstant(text)
  return time && Math.floor(time / 1000) * 1000
}
