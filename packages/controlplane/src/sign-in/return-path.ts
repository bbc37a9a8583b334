import { apiLimits } from '@weir/api/limits';

/** Printable ASCII without a backslash, which browsers take for a slash. */
const plain = /^[\x21-\x5b\x5d-\x7e]+$/;

/**
 * Where a browser goes after it has signed in: the path that was asked for, if it is one of ours, and otherwise `home`.
 * A sign-in that leads to any other site would lend our name to the author of the link.
 *
 * What passes is given as it was written: taking it apart and putting it together again can make `//host` of what was a
 * path.
 */
export function returnPath(wanted: string | null, home: string): string {
  if (wanted === null || wanted.length > apiLimits.apiUrlCharsMax || !plain.test(wanted)) return home;
  // Two slashes at the beginning would be a host.
  if (!wanted.startsWith('/') || wanted.startsWith('//')) return home;
  const base = 'https://own.invalid';
  const url = URL.parse(wanted, base);
  if (url === null || url.origin !== base) return home;
  // Returning to the start of the sign-in would sign in for ever.
  return url.pathname.startsWith('/login/') ? home : wanted;
}
