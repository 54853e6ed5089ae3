// A page that shows the first people and, on a click, one person.
import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

const API_URL = document.body.dataset.api

function useJson(path) {
  const [data, setData] = useState()
  useEffect(() => {
    setData(undefined)
    void fetch(API_URL + path, { headers: { 'X-API-KEY': document.body.dataset.key } })
      .then((response) => response.json())
      .then(setData)
  }, [path])
  return data
}

function Person({ id }) {
  const data = useJson(`/credentials?id=${id}`)
  return h('p', { id: 'person' }, data ? `${data.credentials.length} credentials` : 'Loading')
}

function Leaderboard() {
  const data = useJson('/search/advanced/profiles?sort={"score":{"order":"desc"}}&per_page=3')
  const [chosen, choose] = useState()
  if (!data) return h('p', null, 'Loading')
  const row = ({ id, name, builder_score: score }) =>
    h('li', { key: id, onClick: () => choose(id) }, `${score.rank_position}. ${name}: ${score.points}`)
  return h(
    'div',
    null,
    h('ol', null, data.profiles.map(row)),
    chosen !== undefined && h(Person, { id: chosen }),
  )
}

createRoot(document.getElementById('app')).render(h(Leaderboard))
