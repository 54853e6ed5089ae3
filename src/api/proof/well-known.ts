import Type from 'typebox'
import { NOT_SIGNED, notFound } from '../../domain/errors.ts'
import { didOf, type PublicJwk } from '../../domain/proof/signing-keys.ts'
import { closed } from '../../domain/schema-helpers.ts'
import { json } from '../response.ts'
import { type Context, route, SERVICE } from '../route.ts'
import { issuerOf } from './issuer.ts'

const Key = closed({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String({ description: 'The public key, in base64url' }),
  kid: Type.String({ description: 'The `kid` of signatures' }),
  alg: Type.Literal('EdDSA'),
  use: Type.Literal('sig'),
})

const DOCUMENTED = { responseHeaders: ['Hour'], errors: ['not_found'], isImmediate: true } as const

export const jwks = route(SERVICE, {
  ...DOCUMENTED,
  name: 'jwks',
  path: '/.well-known/jwks.json',
  id: 'getSigningKeys',
  summary: 'Get the public keys that verify signatures',
  description: 'A JWK Set (RFC 7517) with the current key and all earlier ones.',
  response: closed({ keys: Type.Array(Key) }),
  handle: (request, context) => respond(request, context, (did, keys) => ({ keys: toNamed(did, keys) })),
})

const NAMES = Type.Array(Type.String())

export const didDocument = route(SERVICE, {
  ...DOCUMENTED,
  name: 'did',
  path: '/.well-known/did.json',
  id: 'getDidDocument',
  summary: 'Get the DID document of the issuer',
  description: 'The keys of `jwks.json` in the format of `did:web`.',
  response: closed({
    '@context': NAMES,
    id: Type.String({ description: 'The issuer of signatures' }),
    verificationMethod: Type.Array(
      closed({ id: Type.String(), type: Type.String(), controller: Type.String(), publicKeyJwk: Key }),
    ),
    assertionMethod: NAMES,
  }),
  handle: (request, context) =>
    respond(request, context, (did, keys) => ({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://www.w3.org/ns/cid/v1'],
      id: did,
      verificationMethod: toNamed(did, keys).map((key) => ({
        id: key.kid,
        type: 'JsonWebKey',
        controller: did,
        publicKeyJwk: key,
      })),
      assertionMethod: toNamed(did, keys).map(({ kid }) => kid),
    })),
})

type Keys = readonly PublicJwk[]

/** Libraries find a key by the `kid` of a signature, so it is the whole `kid` here, too. */
const toNamed = (did: string, keys: Keys) =>
  keys.map((key) => ({ ...key, kid: `${did}#${key.kid}`, alg: 'EdDSA', use: 'sig' }))

function respond(request: Request, context: Context, present: (did: string, keys: Keys) => object): Response {
  const origin = issuerOf(request, context)
  if (!context.signing || origin === undefined) throw notFound(NOT_SIGNED)
  const response = json(context, JSON.stringify(present(didOf(origin), context.signing.listed)))
  response.headers.set('Cache-Control', 'public, max-age=3600')
  return response
}
