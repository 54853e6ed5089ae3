/** Makes an object disposable. Disposing it disposes these parts, the last one first. */
export function owning<T extends object>(object: T, ...parts: readonly (AsyncDisposable | Disposable)[]) {
  const stack = new AsyncDisposableStack()
  for (const part of parts) stack.use(part)
  return { ...object, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
