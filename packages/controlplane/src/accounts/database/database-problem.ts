/** A database that this release cannot use; waiting does not help. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}
