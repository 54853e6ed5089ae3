export const HELP = `passportd: professional-reputation records over the V1 passport API

Usage
  passportd serve [--demo]             run the service
  passportd keys create --name NAME    make an API key
  passportd keys list                  show all keys
  passportd keys revoke ID             stop a key from working
  passportd openapi                    print the OpenAPI document

  passportd COMMAND --help             more about a command
  passportd --version

Environment (also read from a file .env in the working directory)
  PORT             port to listen on (8080; 0 takes any free one)
  HOST             address to listen on (127.0.0.1; 0.0.0.0 for all)
  DATABASE_URL     where the data lies (sqlite:data/passportd.db)
  REQUIRE_API_KEY  refuse callers without a key (false)
  DEPRECATED_AT    since when V1 is deprecated (2025-03-31)

Exit codes
  0 done   1 could not be done   2 typed or set up wrongly
`

export const SERVE_HELP = `passportd serve: run the service until it is stopped (Ctrl+C or SIGTERM)

Usage
  passportd serve [--demo]

Options
  --demo   serve a thousand invented people: an empty database is filled with them.
           Uses sqlite:data/demo.db, unless DATABASE_URL names another
`

export const KEYS_HELP = `passportd keys: API keys for callers

Usage
  passportd keys create --name NAME [--expires DATE] [--json] [--demo]
  passportd keys list [--json] [--demo]
  passportd keys revoke ID [--demo]

  create prints the key alone on standard output, once: it cannot be shown again.
  revoke takes effect at once, also in a server that is running.

Options
  --name NAME      whose key it is, or what for
  --expires DATE   when it stops working: 2027-01-31 (00:00 UTC) or 2027-01-31T12:00:00Z
  --json           for scripts
  --demo           use the demo database: sqlite:data/demo.db, unless DATABASE_URL
                   names another
`

export const OPENAPI_HELP = `passportd openapi: print the OpenAPI document of the service

Usage
  passportd openapi > openapi.json
`
