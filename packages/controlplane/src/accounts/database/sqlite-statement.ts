export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface SqliteResult {
  readonly rows: readonly unknown[];
  /** How many rows a statement changed; for one that returns rows, how many it returned. */
  readonly changes: number;
}
