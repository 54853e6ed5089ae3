import type { Mutation } from './mutation.ts'

const EVENTS = ['test/core/history/events.test.ts', 'test/core/history/event-log.test.ts']
const SQLITE = ['test/core/store/sqlite.test.ts']
const MIGRATIONS = ['test/core/store/migrations.test.ts', 'test/core/store/sqlite.test.ts']
const BACKUP = ['test/system/features/backup/backup.test.ts', 'test/system/features/backup/restore.test.ts']

/** Mutations of the handling of database files. */
export const FILE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'secure delete: removed data stays in free pages',
    file: 'src/core/store/database/sqlite/connect.ts',
    from: 'pragma secure_delete = on',
    to: 'pragma secure_delete = off',
    tests: ['test/core/store/removal-leaves-no-bytes.test.ts'],
  },
  {
    name: 'files: a commit may be lost after a power failure',
    file: 'src/core/store/database/sqlite/connect.ts',
    from: 'pragma synchronous = full',
    to: 'pragma synchronous = normal',
    tests: SQLITE,
  },
  {
    name: 'files: other users may read the database',
    file: 'src/core/store/database/sqlite/connect.ts',
    from: "openSync(path, 'a', 0o600)",
    to: "openSync(path, 'a', 0o644)",
    tests: SQLITE,
  },
  {
    name: 'migrations: a database of another program is migrated',
    file: 'src/core/store/database/sqlite/schema.ts',
    from: 'version !== 0 || isFilled',
    to: 'version !== 0',
    tests: MIGRATIONS,
  },
  {
    name: 'migrations: a database of a newer version is opened',
    file: 'src/core/store/schema.ts',
    from: 'if (version > SCHEMA) {',
    to: 'if (version > SCHEMA + 1) {',
    tests: MIGRATIONS,
  },
  {
    name: 'migrations: a database older than version 0.2.1 is migrated',
    file: 'src/core/store/schema.ts',
    from: 'version >= first && version <= last',
    to: 'version <= last',
    tests: MIGRATIONS,
  },
  {
    name: 'migrations: the old file is not kept',
    file: 'src/core/store/database/sqlite/migrate.ts',
    from: '    keep(path)\n',
    to: '',
    tests: ['test/system/core/cli/migrated-files-and-schemas.test.ts'],
  },
  {
    name: 'migrations: events that removals have deleted have no tombstones',
    file: 'src/core/store/migrations/convert.ts',
    from: ': tombstone(sequence)',
    to: ": { ...tombstone(sequence), type: 'rules.changed' as const }",
    tests: MIGRATIONS,
  },
  {
    name: 'backup: a damaged backup is accepted',
    file: 'src/features/backup/backup.ts',
    from: "const [problem] = listDamage(database, 'integrity_check')",
    to: 'const [problem]: string[] = []',
    tests: BACKUP,
  },
  {
    name: 'backup: the copy has the same event log as the original',
    file: 'src/features/backup/backup.ts',
    from: '    renameEventLog(partial)\n',
    to: '',
    tests: EVENTS,
    title: 'but another name',
  },
  {
    name: 'backup: a restore replaces a database without --force',
    file: 'src/features/backup/restore.ts',
    from: '!force && old !== undefined',
    to: 'force && old !== undefined',
    tests: BACKUP,
  },
]
