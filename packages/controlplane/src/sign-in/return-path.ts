import { apiLimits } from '@weir/api/limits';

/** Printable ASCII without a backslash, which browsers treat as a slash. */
const plain = /^[\x21-\x5b\x5d-\x7e]+$/;

/**
 * Returns where a browser goes after the sign-in: the requested path, if it is one of ours, and otherwise `home`. An
 * open redirect would lend our name to the author of the link.
 *
 * An accepted path is returned as written: parsing and printing it again can turn a path into `//host`.
 */
export function returnPath(wanted: string | null, home: string): string {
  if (wanted === null || wanted.length > apiLimits.apiUrlCharsMax || !plain.test(wanted)) return home;
  // Two leading slashes would be a host.
  if (!wanted.startsWith('/') || wanted.startsWith('//')) return home;
  const base = 'https://own.invalid';
  const url = URL.parse(wanted, base);
  if (url === null || url.origin !== base) return home;
  // Returning to the start of the sign-in would loop.
  return url.pathname.startsWith('/login/') ? home : wanted;
}
