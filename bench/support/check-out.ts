import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** Extracts a commit to a new folder, and links the installed packages of this version. */
export async function checkOut(commit: string, folder: string): Promise<string> {
  mkdirSync(folder)
  await Bun.$`git -C ${ROOT} archive ${commit} | tar -x -C ${folder}`
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(folder, 'node_modules'))
  return folder
}
