import type { Distribution, Standing } from '../index/standing.ts'

export type ScoreDistribution = Distribution

export type PassportStanding = Standing
