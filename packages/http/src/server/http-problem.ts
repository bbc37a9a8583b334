/** A request that a server refuses. The error code is the HTTP status, or given. */
export class HttpProblem extends Error {
  override name = 'HttpProblem';
  readonly status: number;
  readonly errorCode: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    {
      errorCode = status,
      headers = {},
    }: { readonly errorCode?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
    this.headers = headers;
  }
}

/** The problem of anything that was thrown. The caller gets no details of a bug; `onBug` receives them. */
export function problemOf(thrown: unknown, onBug: (details: string) => void): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  onBug(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return new HttpProblem(500, 'Internal server error.');
}
