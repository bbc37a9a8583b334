import type { IncomingHttpHeaders } from 'node:http';

/** Where a request has come in: what the operator calls the service, and the address at which it arrived. */
interface Arrival {
  readonly publicUrl: string;
  readonly localAddress: string;
}

/**
 * Whether a request may come from where it says it comes from. Programs send no `Origin`, and browsers always do with a
 * POST: a page of another site, or one whose name was bound to our address a moment ago, is turned away by it. What
 * arrives on the loopback of a service that has no other name was sent to a name of the loopback, so that there the
 * `Host` has to be one too.
 */
export function isFromOwnSite({ origin, host }: IncomingHttpHeaders, arrival: Arrival): boolean {
  const own = URL.parse(arrival.publicUrl);
  const isLocal = own === null || isLoopback(own.hostname);
  const hostname = URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
  if (isLocal && isLoopback(arrival.localAddress) && !isLoopback(hostname)) return false;
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) return false;
  return from.origin === own?.origin || (isLocal && isLoopback(from.hostname));
}

function isLoopback(name: string): boolean {
  return /^(?:localhost|\[?::1\]?|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(name);
}
