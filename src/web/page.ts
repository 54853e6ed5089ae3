/** What an answer with a file of ours is made of; nothing may be loaded but what `policy` adds. */
export const file = (type: string, body: string, policy: readonly string[]) => ({
  status: 200,
  headers: {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': ["default-src 'none'", ...policy, ...NOTHING_ELSE].join('; '),
  },
  body,
})

const NOTHING_ELSE = ['img-src data:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
