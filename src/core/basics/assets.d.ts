// Files imported as text, with `with { type: 'text' }`.
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.css' {
  const text: string
  export default text
}
// The query keeps the text apart from the module: both can be imported.
declare module '*?text' {
  const text: string
  export default text
}

// Files imported as paths. Files with unknown extensions need no `with { type: 'file' }`.
declare module '*.woff2' {
  const path: string
  export default path
}
declare module '*.wasm' {
  const path: string
  export default path
}
declare module '*.zst' {
  const path: string
  export default path
}
