/** Calls `work` in each turn of the event loop, until the end of the block. */
export function everyTurn(work: () => void): Disposable {
  let isEnded = false
  function turn(): void {
    work()
    if (!isEnded) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    [Symbol.dispose]() {
      isEnded = true
    },
  }
}
