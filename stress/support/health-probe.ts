/** Runs in its own process. It requests /health repeatedly until its input ends, then prints the slowest response. */
const url = process.argv[2] as string
let isEnded = false
let slowest = 0
let count = 0

void Bun.stdin.text().then(() => {
  isEnded = true
})
while (!isEnded) {
  const begin = performance.now()
  const response = await fetch(`${url}/health`)
  await response.text()
  if (response.status !== 200) throw new Error(`/health: ${response.status}`)
  slowest = Math.max(slowest, performance.now() - begin)
  if (count++ === 0) console.log('started')
}
console.log(JSON.stringify({ slowest: Math.round(slowest), count }))
