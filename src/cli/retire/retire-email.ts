import { type Brownout, type DatedPlan, DEFAULT_SUCCESSOR, isRemoved } from '../../domain/retirement.ts'
import { formatInstant } from '../../domain/text/instant.ts'

export function composeEmail(plan: DatedPlan, now: number): string {
  const coming = plan.brownouts.filter(({ end }) => end > now)
  const removed = isRemoved(plan, now)
  const paragraphs = [
    `Subject: The V1 passport API ${removed ? 'was removed' : 'will be removed'}`,
    'You receive this email because a program with one of your keys still uses the V1 passport API.',
    removed ? undefined : describeDeprecation(plan, now),
    describeRemoval(plan, removed),
    removed || coming.length === 0 ? undefined : describeBrownouts(coming),
    plan.successor === undefined
      ? `Please change your program to use the successor: ${DEFAULT_SUCCESSOR} of the same service`
      : `Please change your program to use the successor: ${plan.successor}`,
    plan.notice === undefined ? undefined : `More information: ${plan.notice}`,
  ].filter((paragraph) => paragraph !== undefined)
  return `${paragraphs.join('\n\n')}\n`
}

function describeDeprecation({ deprecatedAt }: DatedPlan, now: number): string | undefined {
  if (deprecatedAt === undefined) return undefined
  return deprecatedAt > now
    ? `V1 will be deprecated on ${formatInstant(deprecatedAt)}.`
    : `V1 has been deprecated since ${formatInstant(deprecatedAt)} and gets no new features.`
}

const describeBrownouts = (brownouts: readonly Brownout[]) =>
  `Before that, V1 is switched off for short periods, so that you notice programs that still need it:
${brownouts.map(({ start, end }) => `- ${formatInstant(start)} to ${formatInstant(end)}`).join('\n')}`

function describeRemoval({ sunsetAt }: DatedPlan, removed: boolean): string {
  if (sunsetAt === undefined) return 'The date of its removal will be announced.'
  const date = formatInstant(sunsetAt)
  return removed
    ? `V1 was removed on ${date}: every response is 410.`
    : `V1 will be removed on ${date}. From then on every response is 410.`
}
