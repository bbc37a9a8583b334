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
  for (const [path, names] of namesByPath(tagsToAdd))
    tags.set(path, [...new Set([...(tags.get(path) ?? []), ...names])]);
  return { ...metadata, tags: Object.fromEntries(tags) };
}

export function removeTags(
  metadata: Metadata | undefined,
  tagsToRemove: readonly SchemaTags[],
): Metadata | undefined {
  if (tagsToRemove.length === 0 || metadata?.tags === undefined) return metadata;
  const tags = new Map(Object.entries(metadata.tags));
  for (const [path, names] of namesByPath(tagsToRemove)) {
    const kept = (tags.get(path) ?? []).filter((name) => !names.has(name));
    if (kept.length === 0) tags.delete(path);
    else tags.set(path, kept);
  }
  return withoutUndefined({ ...metadata, tags: tags.size === 0 ? undefined : Object.fromEntries(tags) });
}

/** A body may name one path many thousand times. */
function namesByPath(changes: readonly SchemaTags[]): ReadonlyMap<string, Set<string>> {
  const byPath = new Map<string, Set<string>>();
  for (const { schemaEntity, tags } of changes) {
    const known = byPath.get(schemaEntity.entityPath);
    if (known === undefined) byPath.set(schemaEntity.entityPath, new Set(tags));
    else for (const tag of tags) known.add(tag);
  }
  return byPath;
}

/** The tagged paths of a schema that have one of some tags; `*` is any. */
export function findTags(metadata: Metadata | undefined, wanted: readonly string[]): SchemaTags[] {
  const names = new Set(wanted);
  return Object.entries(metadata?.tags ?? {})
    .filter(([, tags]) => names.has('*') || tags.some((tag) => names.has(tag)))
    .map(([entityPath, tags]) => ({ schemaEntity: { entityPath, entityType: 'sr_field' }, tags }));
}
