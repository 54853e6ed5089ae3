import { totalmem } from 'node:os'
import { dirname } from 'node:path'

/** Of the memory, for what is read to stay there. */
const SHARE = 0.6

/**
 * Reads a file and those beside it whose names begin with its own, or all files of a folder, so that the system has them
 * in memory: disks are not what is measured.
 */
export async function warm(path: string): Promise<void> {
  const found = await Bun.$`find ${dirname(path)} -path ${`${path}*`} -type f -size +0 -print0`.text()
  const files = found
    .split('\0')
    .filter((file) => file !== '')
    .sort((one, other) => Bun.file(one).size - Bun.file(other).size)
  let room = totalmem() * SHARE
  for (const file of files) {
    room -= Bun.file(file).size
    if (room < 0) console.error(`${file} does not fit into memory: reads of it wait for the disk, too`)
    else await Bun.$`cat ${file} > /dev/null`
  }
}
