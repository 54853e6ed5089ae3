import { RuleSet } from '../../core/api/schemas.ts'
import { V3 } from '../../core/api/surface.ts'
import { digestOfRules } from '../../core/basics/canonical-json.ts'
import { ServiceError } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { json } from '../../core/http/response.ts'
import { route } from '../../core/http/route.ts'
import { isStorable } from '../../core/passport/passport.ts'
import { RULE_SETS } from '../../core/store/sql/rules.ts'

const YEAR_SECONDS = 31_536_000

export const rules = route(V3, {
  name: 'v3_rules',
  path: '/api/v3/rules/:stamp',
  isCheap: () => true,
  id: 'getRules',
  summary: 'Get the rule set behind a score',
  // The description is true, because the stamp contains a digest of the contents.
  description: 'A stamp always has the same contents.',
  params: { stamp: { description: 'The field `rules` of a passport', example: '2026-11+61951821' } },
  responseHeaders: ['Immutable'],
  response: RuleSet,
  errors: ['not_found'],
  errorWords: { not_found: 'No rule set has this stamp' },
  async handle({ params: { stamp } }, context) {
    const rules = isStorable(stamp) ? await context.store.data(RULE_SETS).find(stamp) : undefined
    if (!rules) throw new ServiceError('not_found', `There is no rule set ${quote(stamp)}.`)
    const response = json(
      context,
      JSON.stringify({ stamp, digest: digestOfRules(rules.body), ...JSON.parse(rules.body) }),
    )
    const scope = context.requireKey ? 'private' : 'public'
    response.headers.set('Cache-Control', `${scope}, max-age=${YEAR_SECONDS}, immutable`)
    return response
  },
})
