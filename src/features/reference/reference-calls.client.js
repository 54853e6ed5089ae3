// Searches the list of calls as you type. share.client.js and reference-code.client.js precede it in the same script.

const search = document.getElementById('find')
const count = document.querySelector('#calls [data-count]')
const calls = [...document.querySelectorAll('.call-list li')]

/** URLs of earlier releases name a call in the fragment, with the values of its form in the query. */
const named = calls.find(({ id }) => id === location.hash.slice(1))
if (named) location.replace(named.querySelector('a').pathname + location.search)

search.addEventListener('input', show)
show()

function show() {
  const words = search.value.toLowerCase().split(/\s+/)
  for (const call of calls) {
    const text = call.textContent.toLowerCase()
    call.hidden = !words.every((word) => text.includes(word))
  }
  const shown = calls.filter(({ hidden }) => !hidden).length
  count.textContent = shown === calls.length ? '' : `${shown} of ${calls.length} calls`
}
