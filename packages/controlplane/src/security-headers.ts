import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A year, in seconds. */
const strictTransport = 'max-age=31536000';

/**
 * The headers of every answer. Only a proxy knows whether a browser came by TLS, and HSTS must not be sent over a plain
 * connection.
 */
export function securityHeaders(
  { headers }: Pick<IncomingMessage, 'headers'>,
  isBehindProxy: boolean,
): Readonly<Record<string, string>> {
  const isByTls = isBehindProxy && headers['x-forwarded-proto'] === 'https';
  return {
    'x-content-type-options': 'nosniff',
    ...(isByTls ? { 'strict-transport-security': strictTransport } : {}),
  };
}

/** HTTP/1.1 requires it in every request. */
export function isHostMissing({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/** By the code of the request error. */
const statusByCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers input that could not be parsed as a request, as Node would, with the headers of every answer. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // In the middle of a response another one cannot be sent.
  const { _httpMessage: underWay } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || underWay?.headersSent === true) {
    socket.destroy(error);
    return;
  }
  const status = statusByCode[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}
