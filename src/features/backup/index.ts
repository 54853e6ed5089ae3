import type { Feature } from '../../feature.ts'

export const backup: Feature = {
  name: 'backup',
  async prepare() {
    const { makeBackupFolder } = await import('./scheduled-backup.ts')
    return ({ config: { backups } }) => {
      if (backups) makeBackupFolder(backups.folder)
      return {}
    }
  },
  async checks() {
    const { checkFolder } = await import('../../core/cli/check-folder.ts')
    return ({ backups }) => (backups ? [...checkFolder(backups.folder)] : [])
  },
  threads: [
    {
      name: 'backup-thread',
      file: 'features/backup/thread.ts',
      isNeeded: ({ backups }) => backups !== undefined,
      isTerminated: true,
    },
  ],
  commands: {
    backup: async () => (await import('./commands.ts')).backup,
    restore: async () => (await import('./commands.ts')).restore,
  },
}
