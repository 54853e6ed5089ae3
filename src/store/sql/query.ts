/** Runs one statement of either engine. Its parameters are `$1`, `$2` and so on. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>
