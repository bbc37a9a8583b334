/** What every HTTP server of ours answers alike. */

type Headers = Readonly<Record<string, string>>;

/** The headers of every answer. HSTS must not be sent over a plain connection; it is for a year. */
export function securityHeaders(isByTls: boolean): Headers {
  return {
    'x-content-type-options': 'nosniff',
    ...(isByTls ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** HTTP/1.1 requires a host in every request. */
export function isHostMissing(request: {
  readonly httpVersion: string;
  readonly headers: { readonly host?: string | undefined };
}): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}

/** By the code of the request error. */
const statusByCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

interface ServerSocket {
  readonly writable: boolean;
  destroy(error?: Error): unknown;
  end(text: string, onEnd: () => void): unknown;
}

/** Answers input that could not be parsed as a request, as Node would, with the headers of every answer. */
export function refuseUnreadable(
  error: Error & { readonly code?: string | undefined },
  socket: ServerSocket,
  headers: Headers,
): void {
  // In the middle of a response another one cannot be sent.
  const { _httpMessage: underWay } = socket as { _httpMessage?: { readonly headersSent: boolean } };
  if (!socket.writable || underWay?.headersSent === true) {
    socket.destroy(error);
    return;
  }
  const status = statusByCode[error.code ?? ''] ?? '400 Bad Request';
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': '0' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(`HTTP/1.1 ${status}\r\n${lines}\r\n`, () => socket.destroy());
}
