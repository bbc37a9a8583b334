/** A database that this release cannot use, whatever is waited for. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
}
