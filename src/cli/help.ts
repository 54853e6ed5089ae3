export const HELP = `passportd: professional-reputation records over the V1 passport API

Usage
  passportd serve [--demo]             run the service
  passportd keys create --name NAME    make an API key (set, rotate, revoke)
  passportd usage [--key ID]           who asked how much, by day

  passportd import FILE...             bring records in (JSON lines or gzip)
  passportd export [FILE]              write all records out
  passportd mirror URL                 copy all that another V1 service serves

  passportd score [--all] [--watch]    work out scores that are waiting
  passportd explain ID                 how a score came about
  passportd rules check FILE           what is wrong with a rule set; rules show

  passportd merge FROM INTO            let one passport stand for another
  passportd remove ID                  take a passport out of every answer
  passportd copy FROM_URL TO_URL       move everything to another database

  passportd backup FILE                a checked copy, while the service runs
  passportd restore FILE               put a backup in the database's place
  passportd doctor                     what is wrong here, and what to do

  passportd retire                     plan the end of V1; who still calls it

  passportd mcp [--http]               let agents read passports (MCP)
  passportd openapi                    print the OpenAPI document
  passportd completions SHELL          for bash, zsh or fish
  passportd COMMAND --help             more about a command
  passportd --version

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
