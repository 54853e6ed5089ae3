// Goes through a list of wallets, and skips those that nobody has.
const rows = []
for (const wallet of process.argv.slice(2)) {
  const response = await fetch(`${process.env.API_URL}/profile?wallet=${wallet}`)
  if (response.status === 404) continue
  const { profile } = await response.json()
  rows.push([profile.id, profile.main_wallet, profile.human_checkmark])
}
console.log(JSON.stringify(rows))
