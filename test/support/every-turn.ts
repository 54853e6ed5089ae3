/** Calls `work` in each turn of the event loop, until the end of the block. */
export function everyTurn(work: () => void): Disposable {
  let next = setImmediate(turn)
  function turn(): void {
    next = setImmediate(turn)
    work()
  }
  return { [Symbol.dispose]: () => clearImmediate(next) }
}
