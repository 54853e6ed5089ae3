export { canonicalJson, digestOfRules, sha256 } from '../../../src/core/basics/canonical-json.ts'
export { foldName } from '../../../src/core/basics/text/fold-name.ts'
export { roundScore } from '../../../src/core/passport/credential.ts'
export { parsePassportKey, walletsOf } from '../../../src/core/passport/passport.ts'
