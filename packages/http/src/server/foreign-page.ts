import type { IncomingHttpHeaders } from 'node:http';

/** Browsers let any page send a POST anywhere, also to an agent without logins on the machine of its reader. */
export function isOfForeignPage({ origin, host }: IncomingHttpHeaders): boolean {
  return origin !== undefined && URL.parse(origin)?.host !== host;
}
