import type { IncomingMessage } from 'node:http';
import { securityHeaders } from '@weir/http';

/** The headers of every answer to a request. Only a proxy knows whether a browser came by TLS. */
export function answerHeaders(
  { headers }: Pick<IncomingMessage, 'headers'>,
  isBehindProxy: boolean,
): Readonly<Record<string, string>> {
  return securityHeaders(isBehindProxy && headers['x-forwarded-proto'] === 'https');
}
