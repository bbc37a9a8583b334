/** What the thread of a database and its users send each other. */

export interface SqliteQuestion {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface SqliteResult {
  readonly rows: readonly unknown[];
  /** How many rows a statement changed; for one that returns rows, how many it returned. */
  readonly changes: number;
}

export type SqliteAnswer = { readonly id: number } & (SqliteResult | { readonly problem: string });
