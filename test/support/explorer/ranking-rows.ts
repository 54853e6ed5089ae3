/** The people of a ranking page; `about` is the markup below the name. */
export function rowsOf(
  page: string,
): { path: string; name: string; about: string; rank: string; score: string }[] {
  const list = /<ol class="ranking panel"[\s\S]*?<\/ol>/.exec(page)?.[0] ?? ''
  return [...list.matchAll(/<li id="p\d+">[\s\S]*?<\/li>/g)].map(([row]) => {
    const [, path = '', name = ''] =
      /class="name clamp" href="([^"]+)"><bdi>(.*?)<\/bdi><\/a>/.exec(row) ?? []
    const [, about = ''] = /<span class="about">(.*)<\/span><\/span>/.exec(row) ?? []
    const [, rank = ''] = /class="rank">.*?<\/span>([^<]+)/.exec(row) ?? []
    const [, score = ''] = /class="score">.*?<\/span>([^<]+)/.exec(row) ?? []
    return { path, name: name.replace(/<\/?mark>/g, ''), about: about.replace(/<bdi[^>]*>/, ''), rank, score }
  })
}
