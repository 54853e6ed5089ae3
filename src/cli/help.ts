import { COMMAND_HELP, summaryOf } from './command-help.ts'

const COMMANDS = Object.entries(COMMAND_HELP).map(
  ([name, help]) => `  ${name.padEnd(13)}${summaryOf(help)}\n`,
)

export const HELP = `passportd: professional-reputation records over the V1 passport API

Usage
  passportd COMMAND [options]
  passportd COMMAND --help             usage and options of a command
  passportd --version

Commands
${COMMANDS.join('')}
Environment (also read from a file .env in the working directory)
  PORT             port to listen on (8080; 0 takes any free one)
  HOST             address to listen on (127.0.0.1; 0.0.0.0 for all)
  DATABASE_URL     database to use (sqlite:data/passportd.db), or
                   postgres://user:password@host/database
  DATABASE_READ_URL  a PostgreSQL replica that answers reads (none)
  REQUIRE_API_KEY  refuse callers without a key (false)
  EXPLORER         show passports to people (on, unless a key is required)
  PUBLIC_URL       public base URL, for shared links (as requested)
  TIERS            how much callers may ask for, such as anonymous=1000/10s
  TRUST_PROXY      proxies whose X-Forwarded-For is believed (none)
  REDIS_URL        a Redis in which all nodes count limits together (none)
  METRICS_PORT     port for Prometheus' /metrics (off; 0 takes any free one)
  METRICS_HOST     address for it (127.0.0.1)
  LOG_REQUESTS     log an entry for each request (false)
  TLS_CERT         PEM file of a certificate: serves HTTPS (none)
  TLS_KEY          PEM file of its key (none)
  HTTP3            serve HTTP/3, too (false)
  DEPRECATED_AT    since when V1 is deprecated (2025-03-31)
  RULES            file of your own rule set (the built-in one)
  MIRROR_KEY       key for the service that is mirrored (none)

Exit codes
  0 done   1 could not be done   2 typed or set up wrongly
`
