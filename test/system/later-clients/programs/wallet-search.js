// Finds the people of many wallets with one request.
const response = await fetch(`${process.env.API_URL}/search/advanced/profiles`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-API-KEY': process.env.API_KEY },
  body: JSON.stringify({ query: { walletAddresses: process.argv.slice(2) }, per_page: 250 }),
})
const { profiles } = await response.json()
console.log(
  JSON.stringify(profiles.map(({ id, display_name, scores }) => [id, display_name, scores[0].points])),
)
