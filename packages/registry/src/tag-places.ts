import { InvalidSchema, type SchemaTags, type TagChanges, type TagPlace } from './schema-format.ts';

/** The tags inside of a schema that has one of some names; `*` is any. */
export function tagsAt(places: readonly TagPlace[]): SchemaTags[] {
  return places.flatMap((place) => {
    const tags = place.isListed ? place.tags() : [];
    if (tags.length === 0) return [];
    return [{ schemaEntity: { entityPath: place.paths[0]!, entityType: place.type }, tags }];
  });
}

/** Adds tags, then removes others. Throws `InvalidSchema` for a path that the schema does not have. */
export function changeTags(places: readonly TagPlace[], { add, remove }: TagChanges): void {
  const byPath = new Map<string, TagPlace>();
  for (const place of places)
    for (const path of place.paths) {
      const key = keyOf(place.type, path);
      if (!byPath.has(key)) byPath.set(key, place);
    }
  const tagsOf = new Map<TagPlace, Set<string>>();
  const change = ({ schemaEntity: { entityPath, entityType } }: SchemaTags): Set<string> => {
    const place = byPath.get(keyOf(entityType, entityPath.replace(/^\./, '')));
    if (place === undefined) throw new InvalidSchema(`No matching path '${entityPath}' found in the schema`);
    const tags = tagsOf.get(place) ?? new Set(place.tags());
    tagsOf.set(place, tags);
    return tags;
  };
  for (const tags of add) for (const tag of tags.tags) change(tags).add(tag);
  for (const tags of remove) for (const tag of tags.tags) change(tags).delete(tag);
  for (const [place, tags] of tagsOf) place.setTags([...tags]);
}

function keyOf(type: string, path: string): string {
  return `${type} ${path}`;
}
