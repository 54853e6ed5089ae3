// The GitHub account of a person, and what it counts.
import axios from 'axios'

const id = process.argv[2]
const get = async (path, params = {}) =>
  (await axios.get(process.env.API_URL + path, { params: { id, ...params } })).data
const { accounts } = await get('/accounts')
const { data_points: points } = await get('/data_points', { slugs: 'github_developer' })
const github = accounts.find(({ source }) => source === 'github')
console.log(JSON.stringify({ username: github?.username ?? null, points: points.map(({ slug }) => slug) }))
