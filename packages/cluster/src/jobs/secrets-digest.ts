import { createHash } from 'node:crypto';

/**
 * Identifies the values of some secrets without revealing them: it is made of their revisions, `undefined` for a secret
 * that is not there.
 */
export function secretsDigest(
  names: readonly string[],
  revisionOf: (name: string) => string | undefined,
): string | undefined {
  if (names.length === 0) return undefined;
  const revisions = names.toSorted().map((name) => [name, revisionOf(name) ?? null]);
  return createHash('sha256').update(JSON.stringify(revisions)).digest('hex').slice(0, 12);
}
