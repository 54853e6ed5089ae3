/** More would cost memory that nobody has asked to spend: some 10 KB each, where heads are long. */
const MOST = 10_000

/** The database, its documents and links to other servers are files to the system too. */
const OTHER_FILES = 128

/** How many connections a process may hold. Where it could open no more files, it would try without end to accept the next caller. */
export function mostConnections(files = openFilesLimit()): number {
  return Math.floor(Math.min(MOST, Math.max(files / 2, files - OTHER_FILES)))
}

type Report = { userLimits?: { open_files?: { soft: number | 'unlimited' } } }

function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as Report
  return Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY
}
