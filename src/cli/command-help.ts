const DEMO_OPTION = `  --demo           use the demo database: sqlite:data/demo.db, unless DATABASE_URL
                   names another
`

/** By the name of the command. The first line of each is its summary, and shells complete what it names. */
export const COMMAND_HELP: Record<string, string> = {
  serve: `passportd serve: run the service until it is stopped (Ctrl+C or SIGTERM)

Usage
  passportd serve [--workers N] [--demo]

  SIGHUP reads the TLS certificate again. On Linux a new release can start on the same
  port before the old one is stopped.

Options
  --workers N   threads that serve requests: 1 (the default) to 64. As many as the
                machine has cores; more than 1 needs Linux
  --demo        serve a thousand invented people: an empty database is filled with
                them. Uses sqlite:data/demo.db, unless DATABASE_URL names another
`,

  keys: `passportd keys: manage API keys

Usage
  passportd keys create --name NAME [--tier NAME] [--owner EMAIL] [--expires DATE]
  passportd keys list [--json]
  passportd keys set ID [--tier NAME] [--owner EMAIL] [--name NAME]
  passportd keys rotate ID [--grace TIME] [--expires DATE]
  passportd keys revoke ID

  create and rotate print the key alone on standard output, once: it cannot be shown
  again. Running servers follow every change at once.

Options
  --name NAME      whose key it is, or what for
  --tier NAME      its limits: standard (the default), high, unlimited or one of TIERS
  --owner EMAIL    whom to write to; "" for nobody
  --expires DATE   when it stops working: 2027-01-31 (00:00 UTC) or 2027-01-31T12:00:00Z;
                   a rotated key keeps the date of the old one unless told
  --grace TIME     how long the old key works beside the new one: 7d (the default), 12h,
                   30m, 90s; 0 ends it at once
  --json           for scripts
${DEMO_OPTION}`,

  usage: `passportd usage: show requests by key and day

Usage
  passportd usage [--since DAY] [--until DAY] [--key ID] [--json | --csv]

  Requests of the V1 API by key, with the share of errors (status 400 and above). Days are
  in UTC. Counts are a few seconds behind; a crash loses no more than those seconds.

Options
  --since DAY      the first day, such as 2026-01-01 (29 days before the last)
  --until DAY      the last day (today)
  --key ID         one key alone, by day, endpoint and status; "anonymous" is for callers
                   without one
  --json           for programs: one document
  --csv            for spreadsheets: a line for each day, key, endpoint and status
${DEMO_OPTION}`,

  mcp: `passportd mcp: serve passports to agents, over the Model Context Protocol

Usage
  passportd mcp [--demo]               on standard input and output
  passportd mcp --http [--port N]      over HTTP, at http://HOST:N/mcp

  Tools: search_passports, get_passport, get_credentials, explain_score. They only read.
  It ends when its input does, or when it is stopped (Ctrl+C or SIGTERM).

  docs/mcp.md shows how to configure an agent. PUBLIC_URL adds links to the explorer.

Options
  --http           serve many agents over HTTP, on the address HOST; there are no keys,
                   so that it is for this machine, or behind a proxy that asks for them
  --port N         the port for it (8081; 0 takes any free one)
${DEMO_OPTION}`,

  openapi: `passportd openapi: print the OpenAPI document of the service

Usage
  passportd openapi > openapi.json
`,

  import: `passportd import: import records

Usage
  passportd import FILE... [options]
  passportd import - [options]         from standard input

  Files are JSON lines, plain or gzip: docs/records.md. Bad lines are refused by line
  and field (then the exit code is 1), the others are kept. The same file twice changes
  nothing; an import that was interrupted is simply run again.

Options
  --rejects FILE   write every refusal, with its line, as JSON lines
  --strict         stop at the first refusal
  --dry-run        check the lines, and each 500 of them against the database; write
                   nothing
  --rescore        have the rule set score credentials that carry a score of their own
  --restore        let records of removed passports in again
${DEMO_OPTION}`,

  export: `passportd export: export all records, as JSON lines

Usage
  passportd export FILE        packed if its name ends in .gz
  passportd export > FILE

  An import of the file into an empty database gives the same service. Keys are not
  in it.

Options
${DEMO_OPTION}`,

  mirror: `passportd mirror: copy all passports of another V1 service

Usage
  passportd mirror URL [--key KEY] [options]

  URL is the base address, without /api/v1. An interrupted run goes on when it is run
  again; later runs ask only for what changed. Passports that are gone there are kept
  here.

Options
  --key KEY        sent as X-API-KEY; better set MIRROR_KEY, which no one sees
  --rate N         requests a second at most (10)
  --concurrency N  requests at once at most (4)
  --restore        let records of removed passports in again
${DEMO_OPTION}`,

  score: `passportd score: calculate stale scores

Usage
  passportd score [--all] [--watch]

  "passportd serve" does this by itself. Several scorers share the work.

Options
  --all            every passport, also those whose score is up to date
  --watch          go on until stopped (Ctrl+C or SIGTERM)
${DEMO_OPTION}`,

  explain: `passportd explain: explain a score, credential by credential

Usage
  passportd explain ID [--json]        by passport id or wallet

Options
  --json           for programs
${DEMO_OPTION}`,

  rules: `passportd rules: check or show rule sets, which turn values into points

Usage
  passportd rules check FILE           says all that is wrong with it
  passportd rules show > FILE          the built-in one, to begin your own with

  RULES=FILE makes it the one in force. docs/scoring.md describes the format.
`,

  merge: `passportd merge: merge one passport into another

Usage
  passportd merge FROM INTO            FROM's id and wallets lead to INTO
  passportd merge FROM --undo          FROM stands on its own again

Options
${DEMO_OPTION}`,

  remove: `passportd remove: remove a passport from every response

Usage
  passportd remove ID

  Its record, credentials and wallets are deleted, with those merged into it. No later
  import or mirror brings it back, unless with --restore.

Options
${DEMO_OPTION}`,

  retire: `passportd retire: plan the retirement of V1

Usage
  passportd retire [show] [--json]     the plan, what callers see now, what is next
  passportd retire set [--deprecated DATE] [--sunset DATE]
                       [--successor URL] [--notice URL] [--yes]
  passportd retire brownout add START DURATION     2026-12-01T09:00Z 2h
  passportd retire brownout list
  passportd retire brownout remove START
  passportd retire exempt KEY_ID [--undo]          brown-outs spare this key
  passportd retire report [--since DATE] [--json]  who still calls V1; a letter
  passportd retire rehearse DATE                   what callers would see then
  passportd retire clear --yes                     give up the whole plan

  Every running node obeys a change within seconds. docs/retire.md describes the steps.

Options
  --deprecated DATE  since when V1 is deprecated; none: as DEPRECATED_AT says
  --sunset DATE      when V1 is removed: from then on it answers 410. A date nearer
                     than 7 days wants --yes; none: it stays
  --successor URL    what comes after V1; none takes it back
  --notice URL       a page of your own about it; none takes it back
  --since DATE       the first day of the report (30 days), compared with as many
                     days before it
  --yes              it is meant: a sunset that is near or over, or "clear"
  --undo             brown-outs spare the key no longer
  --json             for programs
  --demo             use the demo database: sqlite:data/demo.db, unless DATABASE_URL
                     names another
`,

  copy: `passportd copy: move everything from one database to another

Usage
  passportd copy FROM_URL TO_URL [--replace]
  passportd copy --forget TO_URL

  From SQLite to PostgreSQL or back, or to another of the same kind; then both are
  compared by count and checksum. An interrupted copy goes on where it stopped, and a
  second one catches up with later changes. FROM is only read: nothing may write to it
  in the last run.

  passportd copy sqlite:data/passportd.db postgres://user:password@host/database

Options
  --replace        TO may hold something else: all of it is given up
  --forget         take a database as it is, into which a copy was not ended. Until
                   then it is not served, and no records come in
`,

  backup: `passportd backup: make a checked copy of the database, while it is in use

Usage
  passportd backup FILE [--force]

  FILE holds all that was committed at one moment, in one SQLite file that its owner
  alone may read. PostgreSQL is backed up by its own tools.

Options
  --force          FILE may be there: it is replaced
${DEMO_OPTION}`,

  restore: `passportd restore: replace the database with a backup

Usage
  passportd restore FILE [--force]

  Stop the service first: a database that is in use is refused. FILE is copied, checked
  and migrated. The old database is kept beside it, under a name that is told.

Options
  --force          the database may hold something, or be damaged
${DEMO_OPTION}`,

  doctor: `passportd doctor: find problems, and say how to solve them

Usage
  passportd doctor [--full] [--json]

  Looks at the settings, files, schema, integrity, space, clock, scores that wait, keys
  and servers. It changes nothing. Problems make the exit code 1, warnings do not.

Options
  --full           compare indexes with their tables too: minutes for a large database
  --json           for programs: one document
${DEMO_OPTION}`,

  completions: `passportd completions: print a completion script for a shell

Usage
  passportd completions SHELL    bash, zsh or fish; prints a script for it

  bash   passportd completions bash > ~/.local/share/bash-completion/completions/passportd
  zsh    passportd completions zsh > a folder of your fpath, as _passportd
  fish   passportd completions fish > ~/.config/fish/completions/passportd.fish

  They are for a program called passportd: the one that "npm run build" makes.
`,
}

/** What a command does, in a few words. */
export const summaryOf = (help: string) => /: (.+)/.exec(help)?.[1] ?? ''
