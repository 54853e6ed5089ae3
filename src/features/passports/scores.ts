import { V3 } from '../../core/api/surface.ts'
import { json } from '../../core/http/response.ts'
import { route } from '../../core/http/route.ts'
import { Scores } from './schemas.ts'

export const scores = route(V3, {
  name: 'v3_scores',
  path: '/api/v3/scores',
  id: 'getScoresV3',
  summary: 'Get the distribution of scores',
  description:
    'A histogram of the scores of all listed passports, the median and the highest score, at most a second old.',
  response: Scores,
  errors: ['not_ready'],
  async handle(request, context) {
    const { total, highest, median, step, distribution } = await context.index.call(
      'distribution',
      undefined,
      request.signal,
    )
    return json(context, JSON.stringify({ total, highest, median, step, counts: distribution }))
  },
})
