import { describe, expect, test } from 'bun:test'
import type { EventContent, ScoreChange } from '../../../src/core/history/event.ts'
import { presentEvent } from '../../../src/core/history/present-event.ts'
import { NOON } from '../../support/store/records.ts'

const change: ScoreChange = {
  score: [57, 58],
  skills: [18, 21],
  human: [false, true],
  calculatedAt: [NOON, NOON + 1],
  rules: ['', 'one'],
  credentials: [
    { type: 'github', cause: 'value', score: [18, 21], before: { value: '1,600' } },
    { type: 'ens', cause: 'added', score: [null, 0], before: {} },
  ],
}

const present = (event: EventContent) =>
  presentEvent({ sequence: 9, time: NOON, ...event }, { log: 'k3f9a2', source: 'https://host/api/v3' })

describe('an event in responses', () => {
  test('is a CloudEvents object with the old and new scores, but without the display texts of credentials', () => {
    const event = present({ type: 'score.changed', passportId: 7, change })
    expect(event).toEqual({
      specversion: '1.0',
      id: 'k3f9a2-9',
      source: 'https://host/api/v3',
      type: 'score.changed',
      subject: '7',
      time: '2026-01-02T12:00:00.000Z',
      data: {
        score: [57, 58],
        skills_score: [18, 21],
        human_checkmark: [false, true],
        last_calculated_at: ['2026-01-02T12:00:00.000Z', '2026-01-02T12:00:00.001Z'],
        rules: 'one',
        credentials: [
          { type: 'github', score: [18, 21], cause: 'value' },
          { type: 'ens', score: [null, 0], cause: 'added' },
        ],
        remainder: { delta: -2, cause: 'rules' },
      },
    })
    expect(JSON.stringify(event)).not.toContain('1,600')
  })
})
