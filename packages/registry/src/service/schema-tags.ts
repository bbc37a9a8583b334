import type { Metadata, SchemaTags } from '../registry-answers.ts';
import { withoutUndefined } from '../state/metadata.ts';

/**
 * Tags of records and fields are metadata: the registry stores and returns them by path, and does not write them into
 * the text of the schema.
 */
export function taggedMetadata(
  metadata: Metadata | undefined,
  tagsToAdd: readonly SchemaTags[],
): Metadata | undefined {
  if (tagsToAdd.length === 0) return metadata;
  const tags = new Map(Object.entries(metadata?.tags ?? {}));
  for (const { schemaEntity, tags: names } of tagsToAdd) {
    const { entityPath } = schemaEntity;
    tags.set(entityPath, [...new Set([...(tags.get(entityPath) ?? []), ...names])]);
  }
  return { ...metadata, tags: Object.fromEntries(tags) };
}

export function removeTags(
  metadata: Metadata | undefined,
  tagsToRemove: readonly SchemaTags[],
): Metadata | undefined {
  if (tagsToRemove.length === 0 || metadata?.tags === undefined) return metadata;
  const tags = new Map(Object.entries(metadata.tags));
  for (const { schemaEntity, tags: names } of tagsToRemove) {
    const { entityPath } = schemaEntity;
    const kept = (tags.get(entityPath) ?? []).filter((name) => !names.includes(name));
    if (kept.length === 0) tags.delete(entityPath);
    else tags.set(entityPath, kept);
  }
  return withoutUndefined({ ...metadata, tags: tags.size === 0 ? undefined : Object.fromEntries(tags) });
}

/** The tagged paths of a schema that have one of some tags; `*` is any. */
export function findTags(metadata: Metadata | undefined, wanted: readonly string[]): SchemaTags[] {
  return Object.entries(metadata?.tags ?? {})
    .filter(([, tags]) => wanted.includes('*') || tags.some((tag) => wanted.includes(tag)))
    .map(([entityPath, tags]) => ({ schemaEntity: { entityPath, entityType: 'sr_field' }, tags }));
}
