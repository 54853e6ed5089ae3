import Type from 'typebox'
import { NOT_SIGNED, notFound } from '../../core/basics/errors.ts'
import { closed } from '../../core/basics/schema-helpers.ts'
import { json } from '../../core/http/response.ts'
import { type Context, route, SERVICE } from '../../core/http/route.ts'
import { findIssuer } from './issuer.ts'

const text = Type.String()
const Key = closed({ kty: text, crv: text, x: text, kid: text, alg: text, use: text })
const Method = closed({ id: text, type: text, controller: text, publicKeyJwk: Key })
const Names = Type.Array(text)

export const jwks = route(SERVICE, {
  name: 'jwks',
  path: '/.well-known/jwks.json',
  isImmediate: true,
  id: 'getSigningKeys',
  summary: 'Get the public keys that verify signatures',
  description: 'A JWK Set (RFC 7517) with the current key and all earlier ones.',
  response: closed({ keys: Type.Array(Key) }),
  errors: ['not_found'],
  handle: (request, context) => json(context, JSON.stringify({ keys: getKeys(request, context).keys })),
})

export const didDocument = route(SERVICE, {
  name: 'did',
  path: '/.well-known/did.json',
  isImmediate: true,
  id: 'getDidDocument',
  summary: 'Get the DID document of the issuer',
  description: 'The keys of `jwks.json` in the format of `did:web`.',
  response: closed({
    '@context': Names,
    id: text,
    verificationMethod: Type.Array(Method),
    assertionMethod: Names,
  }),
  errors: ['not_found'],
  handle(request, context) {
    const { did, keys } = getKeys(request, context)
    const method = { type: 'JsonWebKey', controller: did }
    const document = {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://www.w3.org/ns/cid/v1'],
      id: did,
      verificationMethod: keys.map((key) => ({ id: key.kid, ...method, publicKeyJwk: key })),
      assertionMethod: keys.map(({ kid }) => kid),
    }
    return json(context, JSON.stringify(document))
  },
})

/** Libraries find a key by the `kid` of a signature, so it is the whole `kid` here, too. */
function getKeys(request: Request, context: Context) {
  const issuer = findIssuer(request, context)
  if (!issuer) throw notFound(NOT_SIGNED)
  const { did, keys } = issuer
  const toNamed = (kid: string) => ({ kid: `${did}#${kid}`, alg: 'EdDSA', use: 'sig' })
  return { did, keys: keys.listed.map((key) => ({ ...key, ...toNamed(key.kid) })) }
}
