let hasRequests: boolean | undefined

function isInstalled(name: string): boolean {
  if (name !== 'python3-requests') return Bun.which(name) !== null
  hasRequests ??= Bun.which('python3') !== null && Bun.spawnSync(['python3', '-c', 'import requests']).success
  return hasRequests
}

/** How a test that needs these programs is run. With CI=true a missing program is an error. */
export function needPrograms(names: readonly string[], title: string): { isSkipped: boolean; title: string } {
  const missing = process.env.CI === 'true' ? [] : names.filter((name) => !isInstalled(name))
  const isSkipped = missing.length > 0
  return { isSkipped, title: isSkipped ? `${title}: SKIPPED, ${missing} is not installed` : title }
}
