/**
 * Whether responses from an address are safe from tampering: over HTTPS, or, where allowed, over HTTP on this machine.
 * They decide whose tokens are trusted.
 */
export function isSafeAddress(
  url: string,
  { allowsLoopbackHttp }: { readonly allowsLoopbackHttp: boolean },
): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  if (parsed.protocol === 'https:') return true;
  return allowsLoopbackHttp && parsed.protocol === 'http:' && isLoopback(parsed.hostname);
}

/** An address for the log: without user, password and query. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'an address that cannot be read';
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
