// Redirects to the page of a call. share.client.js and reference-code.client.js precede it in the same script.

/** URLs of earlier releases name a call in the fragment, with the values of its form in the query. */
const named = calls.find(({ id }) => id !== '' && id === location.hash.slice(1))
if (named) location.replace(named.querySelector('a').pathname + location.search)
