import { NO_PLAN } from '../../domain/retirement.ts'
import { defineCommand } from '../command.ts'
import { openConfigured, openPrimary } from '../open-store.ts'
import {
  addBrownout,
  clearPlan,
  exemptKey,
  listBrownouts,
  removeBrownout,
  setDates,
} from '../retire/retire-changes.ts'
import { showPlan } from '../retire/retire-plan.ts'
import { previewResponses } from '../retire/retire-preview.ts'
import { reportClients } from '../retire/retire-report.ts'
import { OPTIONS, type RetireAction } from '../retire/retire-task.ts'

export const retire = defineCommand({
  name: 'retire',
  summary: 'plan the retirement of V1',
  description: 'Every running node applies a change within seconds. docs/retire.md describes the steps.',
  options: OPTIONS,
  defaultAction: 'show',
  forms: [
    { action: 'show', options: ['json'], about: 'shows the plan, the present state and the next change' },
    { action: 'set', options: ['deprecated', 'sunset', 'successor', 'notice', 'yes'] },
    { action: 'brownout add', args: 'START DURATION', options: [] },
    { action: 'brownout list', options: [] },
    { action: 'brownout remove', args: 'START', options: [] },
    { action: 'exempt', args: 'KEY_ID', options: ['undo'], about: 'exempts this key from brownouts' },
    {
      action: 'report',
      options: ['since', 'json'],
      about: 'lists the clients that still use V1, and their owners',
    },
    { action: 'rehearse', args: 'DATE', options: [], about: 'previews the responses at that time' },
    { action: 'clear', options: ['yes'], about: 'deletes the whole plan; needs --yes' },
  ],
  examples: ['passportd retire brownout add 2026-12-01T09:00Z 2h'],
  async run({ values, args, action }, terminal) {
    const task = ACTIONS[action]({ values, args, now: terminal.now() })
    await using database = await openConfigured(terminal, values, openPrimary)
    const { config, store, name } = database
    const plan = (await store.retirement.find()) ?? NO_PLAN
    await task({ ...config, store, plan, terminal, now: terminal.now(), name })
  },
})

const ACTIONS = {
  show: showPlan,
  set: setDates,
  'brownout add': addBrownout,
  'brownout list': listBrownouts,
  'brownout remove': removeBrownout,
  exempt: exemptKey,
  report: reportClients,
  rehearse: previewResponses,
  clear: clearPlan,
} satisfies Record<string, RetireAction>
