import { createHash } from 'node:crypto';
import type { SchemaSource } from '../schema-format.ts';

/** What identifies a source with all its references, and how much text that is. */
interface SourceDigest {
  readonly digest: string;
  /** Characters of all texts; each text counts once. */
  readonly chars: number;
}

const digests = new WeakMap<SchemaSource, SourceDigest>();

/** References have a bounded depth, so that recursion has one too. */
export function digestOf(source: SchemaSource): SourceDigest {
  const known = digests.get(source);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(`${source.text.length}:`).update(source.text);
  for (const { name, subject, version, source: referenced } of source.references) {
    hash.update(JSON.stringify([name, subject, version, digestOf(referenced).digest]));
  }
  const texts = new Set<SchemaSource>();
  addSources(texts, source);
  let chars = 0;
  for (const { text } of texts) chars += text.length;
  const digest = { digest: hash.digest('base64'), chars };
  digests.set(source, digest);
  return digest;
}

function addSources(found: Set<SchemaSource>, source: SchemaSource): void {
  if (found.has(source)) return;
  found.add(source);
  for (const reference of source.references) addSources(found, reference.source);
}
