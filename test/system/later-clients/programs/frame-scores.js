// Scores of the people of a Farcaster channel.
const url = `${process.env.API_URL}/farcaster/scores?fids=${process.argv.slice(2).join(',')}&scorer_slug=builder_score`
const { scores } = await (await fetch(url)).json()
console.log(JSON.stringify(scores.map(({ points, rank_position }) => [points, rank_position])))
