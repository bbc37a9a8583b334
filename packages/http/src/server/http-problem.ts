/** A request that the server refuses before the registry sees it. The error code is the HTTP status, or given. */
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
