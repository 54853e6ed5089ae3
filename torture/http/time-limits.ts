/** How long a server waits for callers, in milliseconds: what docs/operate.md states, and what a short run can wait for. */
export const STATED = { idle: 60_000, head: 10_000, stall: 30_000, linger: 2000 }
export const BRIEF = { idle: 1500, head: 500, stall: 800, linger: 100 }
