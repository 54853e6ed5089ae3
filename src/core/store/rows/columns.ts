/** Columns have the names of fields, in snake case. */
export const toColumns = (fields: object) =>
  rename(fields, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

export const toFields = (columns: object) =>
  rename(columns, (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()))

const rename = (values: object, nameOf: (name: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]))
