import Type, { type Static } from 'typebox'
import { closed, describedObject, instant } from '../schema-helpers.ts'
import { LONGEST_REQUEST } from '../subject.ts'

const wallet = Type.String({ description: 'A wallet of the passport: an Ethereum address' })
const nonce = Type.String({ description: 'Identifies the challenge' })

export const ChallengeRequest = closed({ wallet })

export const Challenge = describedObject('A message to sign', {
  message: Type.String({ description: 'Sign exactly this text with `personal_sign` (EIP-4361, EIP-191)' }),
  nonce,
  expires_at: instant('When the challenge ends'),
})

export const SessionRequest = closed({
  wallet,
  nonce,
  signature: Type.String({ description: 'r, s and v: `0x` and 65 bytes in hexadecimal' }),
})

export const Session = describedObject('A session of the person', {
  token: Type.String({ description: 'Send it as `Authorization: Bearer`' }),
  passport_id: Type.Integer({ minimum: 0 }),
  expires_at: instant('When the session ends'),
})

export const SubjectPatch = closed({
  hidden: Type.Boolean({ description: '`true` hides the passport from everybody else' }),
})

export const SubjectRecord = Type.Object({}, { description: 'Everything that is stored about the person' })

export const CorrectionRequest = closed({
  text: Type.String({
    minLength: 1,
    maxLength: LONGEST_REQUEST,
    description: 'What is wrong, and what is right',
  }),
})

export const Correction = closed({ id: Type.String(), created_at: instant('When the request was made') })

export type WireChallengeRequest = Static<typeof ChallengeRequest>
export type WireSessionRequest = Static<typeof SessionRequest>
export type WireSubjectPatch = Static<typeof SubjectPatch>
export type WireCorrectionRequest = Static<typeof CorrectionRequest>
