import { type Browser, chromium } from 'playwright-core'
import { guardedFolder } from '../postgres/postgres-files.ts'
import { findProgram } from '../programs.ts'

/** Starts Chromium. Its folder is deleted when this process ends. */
export async function launchBrowser(): Promise<Browser> {
  const folder = guardedFolder()
  const env = { ...process.env }
  process.env.TMPDIR = folder.path
  try {
    return await chromium.launch({
      executablePath: findProgram('chromium') as string,
      timeout: 0,
      env,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  } finally {
    if (env.TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = env.TMPDIR
  }
}
