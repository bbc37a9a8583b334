/** A violated invariant. */
export class LogProblem extends Error {
  override readonly name = 'LogProblem';
}
