/** One step of the schema. It is never changed after a release has had it; the next step is a new file. */
export interface Migration {
  /** 1, 2, 3 and so on. */
  readonly number: number;
  readonly name: string;
  /** What SQLite and PostgreSQL both understand, one statement each. */
  readonly statements: readonly string[];
}
