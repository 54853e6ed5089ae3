// A badge with the score of the wallet that is connected to a page.
const [address] = process.argv.slice(2)
const response = await fetch(`${process.env.API_URL}/score?id=${address}&account_source=wallet`, {
  headers: { 'X-API-KEY': process.env.API_KEY, Accept: 'application/json' },
})
if (!response.ok) throw new Error(`HTTP ${response.status}`)
const { score } = await response.json()
console.log(
  JSON.stringify({ label: 'Builder Score', value: score?.points ?? 0, rank: score?.rank_position ?? 0 }),
)
