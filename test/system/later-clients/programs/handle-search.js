// Looks people up by an exact handle, with the parameters of a form.
const query = new URLSearchParams({
  'query[identity]': process.argv[3],
  'query[identity_type]': process.argv[2],
  'query[exactMatch]': 'true',
})
const response = await fetch(`${process.env.API_URL}/search/advanced/profiles?${query}`)
const { profiles = [] } = await response.json()
console.log(JSON.stringify(profiles.map((profile) => profile.id)))
