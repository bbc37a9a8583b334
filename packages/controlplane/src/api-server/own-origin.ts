import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns where a call comes from, as the browser states it. Browsers send it with every POST, and pages cannot change
 * it; so a page of another site cannot act with the cookie of its visitor.
 *
 * - `own`: from a page of this service.
 * - `foreign`: from a page of another site.
 * - `none`: the headers are absent, so the client is not a browser.
 */
export function originOf(headers: IncomingHttpHeaders, publicUrl: string): 'own' | 'foreign' | 'none' {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined && origin === undefined) return 'none';
  if (site !== undefined && site !== 'same-origin') return 'foreign';
  if (origin !== undefined && !isOwn(origin, headers.host, publicUrl)) return 'foreign';
  return 'own';
}

/** Compares with the public URL, or with the host that the browser connected to. */
function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.origin === URL.parse(publicUrl)?.origin || url.host === host?.toLowerCase();
}
