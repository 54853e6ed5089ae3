// All people above a score, page by page, the highest score first.
const query = encodeURIComponent(
  JSON.stringify({ score: { min: Number(process.argv[2]), scorer: 'Builder Score' } }),
)
const sort = encodeURIComponent(JSON.stringify({ score: { order: 'desc' }, id: { order: 'desc' } }))
const ids = []
for (let page = 1, last = 1; page <= last; page++) {
  const url = `${process.env.API_URL}/search/advanced/profiles?query=${query}&sort=${sort}&page=${page}&per_page=5`
  const { profiles, pagination } = await (await fetch(url)).json()
  ids.push(...profiles.map(({ id }) => id))
  last = pagination.last_page
}
console.log(JSON.stringify(ids))
