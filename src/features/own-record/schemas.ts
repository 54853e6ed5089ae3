import Type from 'typebox'
import { closed, instant } from '../../core/basics/schema-helpers.ts'
import { LONGEST_REQUEST } from './subject.ts'

const wallet = Type.String({ description: 'An Ethereum address of the passport' })
const nonce = Type.String({ description: 'Identifies the challenge' })
const signature = Type.String({ description: 'r, s and v: `0x` and 65 bytes in hexadecimal' })
const message = Type.String({
  description: 'Sign exactly this text with `personal_sign` (EIP-4361, EIP-191)',
})
const token = Type.String({ description: 'Send it as `Authorization: Bearer`' })
const text = { minLength: 1, maxLength: LONGEST_REQUEST, description: 'What is wrong, and what is right' }

export const ChallengeRequest = closed({ wallet })
export const Challenge = closed({ message, nonce, expires_at: instant('When the challenge ends') })
export const SessionRequest = closed({ wallet, nonce, signature })
export const Session = closed({ token, passport_id: Type.Integer(), expires_at: instant('When it ends') })
const stored = { description: 'Everything that is stored about the person', additionalProperties: true }
export const SubjectRecord = Type.Object({ passports: Type.Array(Type.Object({})) }, stored)
export const SubjectPatch = closed({ hidden: Type.Boolean({ description: 'Hidden from everybody else' }) })
export const CorrectionRequest = closed({ text: Type.String(text) })
export const Correction = closed({ id: Type.String(), created_at: instant('When it was stored') })
