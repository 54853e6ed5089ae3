// Sends the forms of the reference page and shows the responses.

const key = /** @type {HTMLInputElement} */ (document.getElementById('api-key'))

for (const form of document.querySelectorAll('form')) {
  const curl = form.querySelector('[data-curl]')
  const show = () => {
    curl.textContent = toCurl(form)
    curl.hidden = false
  }
  form.addEventListener('input', show)
  key.addEventListener('input', show)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  show()
}

function toUrl(form) {
  const url = new URL(form.dataset.path, location.origin)
  for (const input of form.querySelectorAll('input')) {
    const value = input.value.trim()
    if (input.dataset.in === 'path') {
      url.pathname = url.pathname.replace(encodeURI(`{${input.name}}`), encodeURIComponent(value))
    } else if (value !== '') {
      url.searchParams.set(input.name, value)
    }
  }
  return url
}

function toCurl(form) {
  const header = key.value ? ' -H "X-API-KEY: $KEY"' : ''
  const { method, body } = toRequest(form)
  const json = body === undefined ? undefined : body.replaceAll("'", "'\\''")
  const sent = json === undefined ? '' : ` -X ${method} -H 'Content-Type: application/json' -d '${json}'`
  return `curl${header}${sent} '${toUrl(form).href.replaceAll("'", '%27')}'`
}

function toRequest(form) {
  const body = form.querySelector('textarea')?.value
  return {
    method: form.dataset.method,
    body,
    headers: {
      ...(key.value && { 'X-API-KEY': key.value }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
  }
}

async function send(form) {
  const result = form.querySelector('[data-result]')
  const summary = form.querySelector('[data-summary]')
  const body = form.querySelector('[data-body]')
  result.hidden = false
  delete result.dataset.ok
  summary.textContent = 'Waiting for the response…'
  const begin = performance.now()
  try {
    const response = await fetch(toUrl(form), toRequest(form))
    const text = await response.text()
    const milliseconds = Math.round(performance.now() - begin)
    const size = new Blob([text]).size.toLocaleString('en')
    summary.textContent = `${response.status} in ${milliseconds} ms, ${size} bytes, request ${response.headers.get('X-Request-Id')}`
    body.textContent = JSON.stringify(JSON.parse(text), null, 2)
    result.dataset.ok = String(response.ok)
  } catch (error) {
    summary.textContent = `No response: ${error.message}`
    body.textContent = ''
    result.dataset.ok = 'false'
  }
}
