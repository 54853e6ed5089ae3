const PAGE = '/api/v3/passports?limit=250'

/** Reads paths and bodies of the demo data after every passport is scored, so that the bodies no longer change. */
export async function learnResponses(url: string, count = 20): Promise<[path: string, body: string][]> {
  const ids = await idsWhenScored(url)
  const paths = [
    ...ids
      .slice(0, count)
      .flatMap((id) => [`/api/v3/passports/${id}`, `/api/v3/passports/${id}?include=credentials`]),
    '/api/v3/passports?limit=3',
    '/api/v3/passports?q=an',
  ]
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const response = await fetch(url + path)
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      return [path, await response.text()]
    }),
  )
}

async function idsWhenScored(url: string): Promise<number[]> {
  const ids: number[] = []
  for (let cursor = ''; ; ) {
    const text = await (await fetch(`${url}${PAGE}${cursor}`)).text()
    if (text.includes('"calculating_score":true')) {
      await Bun.sleep(20)
      continue
    }
    const { items, next } = JSON.parse(text)
    ids.push(...items.map(({ passport_id }: { passport_id: number }) => passport_id))
    if (next === null) return ids
    cursor = `&cursor=${next}`
  }
}
