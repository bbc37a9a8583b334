import { registryLimits } from '../limits.ts';
import type { ResolvedReference, SchemaReference, SchemaSource } from '../schema-format.ts';
import { RegistryRefusal } from './client-error.ts';
import type { RegistryClient } from './registry-client.ts';
import type { RegistrySchema } from './registry-schema.ts';

type ReferencesSource = Pick<RegistryClient, 'schemaOfVersion' | 'place'>;

/**
 * Fetches everything that a schema refers to, each version once. `subject` is one that has the schema: references
 * without a context are in its context.
 */
export async function resolveReferences(
  client: ReferencesSource,
  schema: RegistrySchema,
  { subject = '', stop }: { readonly subject?: string; readonly stop?: AbortSignal } = {},
): Promise<SchemaSource> {
  /** By subject and version. `undefined` while what the version refers to is fetched. */
  const known = new Map<string, SchemaSource | undefined>();
  let textBytes = 0;

  return await sourceOf(schema, contextPrefixOf(subject), 0);

  async function sourceOf(
    { schema: text, references }: RegistrySchema,
    context: string,
    depth: number,
  ): Promise<SchemaSource> {
    textBytes += Buffer.byteLength(text);
    if (textBytes > registryLimits.referencedBytesMax) {
      throw refusal(`the schema and what it refers to have over ${registryLimits.referencedBytesMax} bytes`);
    }
    if (references.length > 0 && depth >= registryLimits.referenceDepthMax) {
      throw refusal(`references are nested deeper than ${registryLimits.referenceDepthMax}`);
    }
    const resolved: ResolvedReference[] = [];
    // One after the other: the same version is then never fetched twice.
    for (const reference of references) {
      resolved.push({ ...reference, source: await target(reference, context, depth + 1) });
    }
    return { text, references: resolved };
  }

  async function target(
    { subject: named, version }: SchemaReference,
    context: string,
    depth: number,
  ): Promise<SchemaSource> {
    const qualified = named.startsWith(':') ? named : `${context}${named}`;
    const key = `${version} ${qualified}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.has(key)) throw refusal(`version ${version} of subject ${qualified} refers to itself`);
    if (known.size >= registryLimits.referencedSchemasMax) {
      throw refusal(`the schema refers to over ${registryLimits.referencedSchemasMax} others`);
    }
    known.set(key, undefined);
    // Versions that something refers to may be soft-deleted.
    const found = await client.schemaOfVersion(qualified, version, {
      deleted: true,
      ...(stop === undefined ? {} : { stop }),
    });
    if (found === undefined) {
      throw refusal(`version ${version} of subject ${qualified}, which the schema refers to, does not exist`);
    }
    const source = await sourceOf(found, contextPrefixOf(qualified), depth);
    known.set(key, source);
    return source;
  }

  function refusal(reason: string): RegistryRefusal {
    return new RegistryRefusal(client.place, 200, reason);
  }
}

/** `:.context:` of a qualified subject. */
function contextPrefixOf(subject: string): string {
  return /^:\.[^:]*:/.exec(subject)?.[0] ?? '';
}
