import type { Standing } from '../index/standing.ts'

export type PassportStanding = Standing
