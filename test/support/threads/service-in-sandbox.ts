import { dlopen, ptr } from 'bun:ffi'
import { startTestService } from '../service.ts'

/** Starts the service where no thread may change its priority, as in some sandboxes. Prints the status of a request. */

const SETPRIORITY = process.arch === 'arm64' ? 140n : 141n

/** A seccomp filter, one instruction each: reads the number of the system call, compares it, refuses or allows the call. */
const filter = new BigUint64Array([
  0x20n,
  0x15n | (1n << 24n) | (SETPRIORITY << 32n),
  0x06n | (0x5_0001n << 32n),
  0x06n | (0x7fff_0000n << 32n),
])
const program = new BigUint64Array([BigInt(filter.length), BigInt(ptr(filter))])

const { prctl } = dlopen('libc.so.6', {
  prctl: { args: ['int', 'u64', 'u64', 'u64', 'u64'], returns: 'int' },
}).symbols
const [NO_NEW_PRIVILEGES, SECCOMP, FILTER_MODE] = [38, 22, 2]
if (prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) !== 0 || prctl(SECCOMP, FILTER_MODE, ptr(program), 0, 0) !== 0)
  throw new Error('The filter cannot be installed.')

await using service = await startTestService()
process.stdout.write(`${(await service.get('/health')).status}\n`)
