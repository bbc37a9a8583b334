/** One migration. It never changes after its release; the next migration is a new file. */
export interface Migration {
  /** 1, 2, 3 and so on. */
  readonly number: number;
  readonly name: string;
  /** Statements for both SQLite and PostgreSQL. */
  readonly statements: readonly string[];
}
