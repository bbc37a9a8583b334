import type { IncomingHttpHeaders } from 'node:http';

/** Where a request arrived: the public URL of the service, and the local address. */
interface Arrival {
  readonly publicUrl: string;
  readonly localAddress: string;
}

/**
 * Whether a request may come from its stated origin. Programs send no `Origin`; browsers always send it with a POST,
 * which excludes pages of other sites and DNS rebinding. A request that arrives on the loopback of a service without
 * another name was sent to a name of the loopback, so there the `Host` must be one too.
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
