// Redirects to the page of a call. share.client.ts and reference-code.client.ts precede it in the same script.
import { find } from '../../ui/assets/share.client.ts'
import { calls } from './reference-code.client.ts'

/** URLs of earlier releases name a call in the fragment, with the values of its form in the query. */
const call = calls.find(({ id }) => id !== '' && id === location.hash.slice(1))
if (call) location.replace(find<HTMLAnchorElement>('a', call).pathname + location.search)
