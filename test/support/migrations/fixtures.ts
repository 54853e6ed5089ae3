import postgres021 from '../../core/store/fixtures/postgres-0.2.1.sql' with { type: 'text' }
import sqlite021 from '../../core/store/fixtures/sqlite-0.2.1.sql' with { type: 'text' }

/** Databases of version 0.2.1. */
export const FIXTURES = { sqlite: sqlite021, postgres: postgres021 }
