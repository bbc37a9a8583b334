import type { IncomingHttpHeaders } from 'node:http';

/**
 * Where a call comes from, in the words of the browser that sends it. Browsers tell it with every POST, and pages
 * cannot change what they tell; so a page of another site cannot act with the cookie of its visitor.
 *
 * - `own`: from a page of this service.
 * - `foreign`: from a page of another site.
 * - `none`: nothing is told, so that it was no browser.
 */
export function originOf(headers: IncomingHttpHeaders, publicUrl: string): 'own' | 'foreign' | 'none' {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined && origin === undefined) return 'none';
  if (site !== undefined && site !== 'same-origin') return 'foreign';
  if (origin !== undefined && !isOwn(origin, headers.host, publicUrl)) return 'foreign';
  return 'own';
}

/** Of the address that the operator told, or of the host that the browser believes to speak with. */
function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.origin === URL.parse(publicUrl)?.origin || url.host === host?.toLowerCase();
}
