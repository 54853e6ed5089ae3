/** Loaded before a server that is to wait for slow callers no longer than a test can. */
import { PATIENCE } from '../../src/api/wire/connection.ts'
import { BRIEF } from './time-limits.ts'

Object.assign(PATIENCE, BRIEF)
