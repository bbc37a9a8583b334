/**
 * Why a tool cannot do what it was asked for, and what the caller can do about it. The code is stable, the text is for
 * a model.
 */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
