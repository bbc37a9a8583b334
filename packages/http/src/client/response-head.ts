/** The head of an HTTP/1 response. */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case; of duplicates the last one wins. */
  readonly headers: ReadonlyMap<string, string>;
  readonly isHttp11: boolean;
  /** Whether the connection may carry another request. */
  readonly isReusable: boolean;
}

/** Bytes of a server are not an HTTP/1 response that our clients understand, or exceed a limit. */
export class HttpProtocolError extends Error {
  override readonly name = 'HttpProtocolError';
}

/** Parses the text before the empty line. Throws an `HttpProtocolError`. */
export function parseResponseHead(text: string): ResponseHead {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/.exec(statusLine) ?? [];
  if (status === undefined) throw new HttpProtocolError('no HTTP status line');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new HttpProtocolError('a header without a colon');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const isHttp11 = minor === '1';
  const isReusable = isHttp11 && headers.get('connection')?.toLowerCase() !== 'close';
  return { status: Number(status), headers, isHttp11, isReusable };
}
