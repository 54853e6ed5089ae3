import { createInterface } from 'node:readline/promises'

/** Returns an empty answer at the end of the input. */
export async function ask(question: string): Promise<string> {
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  prompt.once('close', () => resolve(''))
  const answer = await Promise.race([prompt.question(question), closed])
  prompt.close()
  return answer
}
