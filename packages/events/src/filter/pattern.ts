/**
 * Splits a pattern of `like` into the texts between the wildcards. `abc%` is `['abc', '']`, `%abc%` is `['', 'abc',
 * '']`, and a pattern without a wildcard is one piece.
 */
export function piecesOf(pattern: string): readonly string[] {
  const pieces = [''];
  for (const [token, escaped] of pattern.matchAll(/\\([%\\])|./gs)) {
    if (token === '%') pieces.push('');
    else pieces[pieces.length - 1] += escaped ?? token;
  }
  return pieces;
}
