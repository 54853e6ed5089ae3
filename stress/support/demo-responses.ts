const PAGE = '/api/v1/passports?per_page=250&page='

/** Reads paths and bodies of the demo data after every passport is scored, so that the bodies no longer change. */
export async function learnResponses(url: string, count = 20): Promise<[path: string, body: string][]> {
  const ids = (await Promise.all([1, 2, 3, 4].map((page) => idsWhenScored(`${url}${PAGE}${page}`)))).flat()
  const paths = [
    ...ids
      .slice(0, count)
      .flatMap((id) => [`/api/v1/passports/${id}`, `/api/v1/passport_credentials?passport_id=${id}`]),
    '/api/v1/passports?per_page=3',
    '/api/v1/passports?keyword=an',
  ]
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const response = await fetch(url + path)
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      return [path, await response.text()]
    }),
  )
}

async function idsWhenScored(page: string): Promise<number[]> {
  for (;;) {
    const text = await (await fetch(page)).text()
    if (!text.includes('"calculating_score":true'))
      return JSON.parse(text).passports.map(({ passport_id }: { passport_id: number }) => passport_id)
    await Bun.sleep(20)
  }
}
