import { findPage } from '../catalog/find-page.ts'
import { lastPage } from '../domain/lists/page.ts'
import type { PassportRef } from '../domain/passport.ts'
import { presentCredential, presentPassport } from '../domain/record/present.ts'
import { findExplanation } from '../scoring/explain.ts'
import { type Arguments, findNamed, PassportArguments, parseSearch, SearchArguments } from './arguments.ts'
import { sanitize } from './format.ts'
import {
  CredentialsResult,
  ExplanationResult,
  MAX_LIST,
  PassportResult,
  SearchResult,
} from './result-schemas.ts'
import { summaryOf } from './summary.ts'
import type { Tool, ToolContext } from './tool.ts'
import { V3_TOOLS } from './v3-tools.ts'

export const TOOLS: Readonly<Record<string, Tool>> = {
  search_passports: {
    title: 'Search passports',
    description: 'Finds passports by part of their name, highest score first.',
    inputSchema: SearchArguments,
    outputSchema: SearchResult,
    call: search,
  },
  get_passport: {
    title: 'Get a passport',
    description: 'Returns one passport: scores, profile, wallets, socials.',
    inputSchema: PassportArguments,
    outputSchema: PassportResult,
    call: getPassport,
  },
  get_credentials: {
    title: 'Get credentials',
    description: 'Lists the scored credentials of one passport, highest score first.',
    inputSchema: PassportArguments,
    outputSchema: CredentialsResult,
    call: getCredentials,
  },
  explain_score: {
    title: 'Explain a score',
    description: 'Explains the score of one passport, credential by credential.',
    inputSchema: PassportArguments,
    outputSchema: ExplanationResult,
    call: explainScore,
  },
  ...V3_TOOLS,
}

async function search(args: Arguments, { store, catalog, config }: ToolContext): Promise<SearchResult> {
  const { page, size, keyword } = parseSearch(args)
  const request = { page, size, keyword }
  const { items, total } = await findPage({ catalog, store }, request, store.passports.listByIds)
  return {
    total,
    page,
    pages: lastPage(total, size),
    passports: items.map((passport) => ({
      ...summaryOf(passport, config),
      human_checkmark: passport.human,
      main_wallet: sanitize(passport.mainWallet, 128),
    })),
  }
}

async function getPassport(args: Arguments, { store, config }: ToolContext): Promise<PassportResult> {
  const passport = await findNamed(args, store, (ref) => store.passports.find(ref))
  const { profile } = passport
  const { passport_profile: _, passport_socials: __, ...shown } = presentPassport(passport)
  return {
    ...shown,
    ...summaryOf(passport, config),
    bio: sanitize(profile.bio, 300),
    location: sanitize(profile.location, 100),
    tags: profile.tags.slice(0, 20).map((tag) => sanitize(tag, 50)),
    main_wallet: sanitize(passport.mainWallet, 128),
    verified_wallets: passport.verifiedWallets.slice(0, MAX_LIST).map((wallet) => sanitize(wallet, 128)),
    socials: passport.socials.slice(0, 20).map(({ source, name, url, followers }) => ({
      source: sanitize(source, 50),
      name: sanitize(name, 100),
      url: sanitize(url, 300),
      follower_count: sanitize(followers, 20),
    })),
  }
}

async function getCredentials(args: Arguments, { store, config }: ToolContext): Promise<CredentialsResult> {
  const { passport, credentials: all } = await findNamed(args, store, (ref) => store.credentials.find(ref))
  const credentials = all.slice(0, MAX_LIST).map((credential) => {
    const { id: _, earned_at, ...each } = presentCredential(credential)
    return {
      ...each,
      name: sanitize(each.name, 100),
      type: sanitize(each.type, 100),
      category: sanitize(each.category, 50),
      value: sanitize(each.value, 200),
      ...(earned_at !== '' && { earned_at }),
    }
  })
  return { ...summaryOf(passport, config), total: all.length, credentials }
}

async function explainScore(
  args: Arguments,
  { store, config, rules, now }: ToolContext,
): Promise<ExplanationResult> {
  const explain = (ref: PassportRef) => findExplanation(store, ref, rules, now())
  const { passport, outcome, notes } = await findNamed(args, store, explain)
  const lines = outcome.lines.slice(0, MAX_LIST).map((line) => ({
    name: sanitize(line.name, 100),
    category: sanitize(line.category, 50),
    score: line.score,
    max_score: line.maxScore,
    formula: sanitize(line.formula, 300),
  }))
  return {
    ...summaryOf(passport, config),
    rules: rules.version,
    explained_score: outcome.scores.total,
    caps: rules.caps ?? {},
    total: outcome.lines.length,
    lines,
    notes,
  }
}
