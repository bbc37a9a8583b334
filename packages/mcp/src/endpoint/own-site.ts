import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request may come from where it says it comes from. Programs send no `Origin`, and browsers always do with a POST: a page of another
 * site, or one whose name was bound to our address a moment ago, is turned away by it. A service on the loopback has no name but the
 * loopback's, so that there the `Host` has to be one of these too.
 */
export function isFromOwnSite({ origin, host }: IncomingHttpHeaders, publicUrl: string): boolean {
  const own = URL.parse(publicUrl);
  const isLocal = own === null || isLoopback(own.hostname);
  if (isLocal && !isLoopback(URL.parse(`http://${host ?? ''}`)?.hostname ?? '')) return false;
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) return false;
  return from.origin === own?.origin || (isLocal && isLoopback(from.hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
