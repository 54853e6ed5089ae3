import { json } from 'node:stream/consumers'

const { base, requests } = await json(process.stdin)
const replies = []
for (const { method, path, headers } of requests) {
  const response = await fetch(base + path, { method, headers })
  replies.push({ status: response.status, body: await response.text() })
}
process.stdout.write(JSON.stringify(replies))
