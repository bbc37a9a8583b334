import { isArray, isObject, type JsonNode, type JsonObject } from '../exact-json.ts';
import type { TagPlace } from '../schema-format.ts';

const tagsKeyword = 'confluent:tags';

/**
 * The objects and properties of a schema by their paths: `object.a` is the property `a` of the object at the top,
 * `object.a.object.b` one of an object in it, `oneof.0.object` the object of an alternative.
 */
export function jsonTagPlaces(root: JsonNode): TagPlace[] {
  const places: TagPlace[] = [];
  const visit = (node: JsonNode | undefined, scope: string, isProperty: boolean): void => {
    if (!isObject(node)) return;
    const all = (entries: JsonNode | undefined, path: string, areProperties: boolean) => {
      if (!isObject(entries)) return;
      for (const [name, entry] of entries) {
        if (!isObject(entry)) continue;
        if (areProperties) places.push(placeOf('sr_field', `${path}.${name}`, entry, true));
        visit(entry, `${path}.${name}.`, areProperties);
      }
    };
    if (node.has('properties') || node.get('type') === 'object' || isProperty === false)
      places.push(placeOf('sr_record', `${scope}object`, node, !isProperty));
    all(node.get('properties'), `${scope}object`, true);
    for (const keyword of ['definitions', '$defs'])
      all(node.get(keyword), `${scope}object.${keyword}`, false);
    visit(node.get('items'), `${scope}array.`, false);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const alternatives = node.get(keyword);
      if (!isArray(alternatives)) continue;
      for (const [at, entry] of alternatives.entries())
        visit(entry, `${scope}${keyword.toLowerCase()}.${at}.`, false);
    }
    for (const keyword of ['if', 'then', 'else'])
      visit(node.get(keyword), `${scope}conditional.${keyword}.`, false);
    visit(node.get('not'), `${scope}not.`, false);
  };
  visit(root, '', false);
  return places;
}

function placeOf(type: TagPlace['type'], path: string, node: JsonObject, isListed: boolean): TagPlace {
  // The schema was read for this alone.
  const own = node as Map<string, JsonNode>;
  return {
    type,
    paths: [path],
    isListed,
    tags() {
      const tags = own.get(tagsKeyword);
      return isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
    },
    setTags(tags) {
      if (tags.length === 0) own.delete(tagsKeyword);
      else own.set(tagsKeyword, tags);
    },
  };
}
