import { isArray, type JsonNode, type JsonObject } from '../exact-json.ts';
import type { TagPlace } from '../schema-format.ts';
import type { AvroType, RecordType } from './avro-type.ts';
import type { ParsedAvro } from './parse-schema.ts';

const tagsProperty = 'confluent:tags';

/** The records and fields of a schema, without those of references. A record can be named without its namespace. */
export function avroTagPlaces({ root, referencedNames }: ParsedAvro): TagPlace[] {
  return ownRecords(root, referencedNames).flatMap((record) => {
    const names = [record.fullName, record.name];
    return [
      placeOf('sr_record', names, record),
      ...record.fields.map((field) =>
        placeOf(
          'sr_field',
          names.map((name) => `${name}.${field.name}`),
          field,
        ),
      ),
    ];
  });
}

function ownRecords(root: AvroType, referencedNames: ReadonlySet<string>): RecordType[] {
  const found = new Set<RecordType>();
  const open: AvroType[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'union') open.push(...next.branches);
    else if (next.kind === 'array') open.push(next.items);
    else if (next.kind === 'map') open.push(next.values);
    else if (next.kind === 'record' && !found.has(next) && !referencedNames.has(next.fullName)) {
      found.add(next);
      open.push(...next.fields.map(({ type }) => type).toReversed());
    }
  }
  return [...found];
}

interface Tagged {
  properties: JsonObject;
}

/** The schema was parsed for this alone, but types without properties share an empty map. */
function placeOf(type: TagPlace['type'], paths: readonly string[], place: Readonly<Tagged>): TagPlace {
  const tagged = place as Tagged;
  return {
    type,
    paths,
    isListed: true,
    tags() {
      const tags = tagged.properties.get(tagsProperty);
      return isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
    },
    setTags(tags) {
      const properties = new Map<string, JsonNode>(tagged.properties);
      if (tags.length === 0) properties.delete(tagsProperty);
      else properties.set(tagsProperty, tags);
      tagged.properties = properties;
    },
  };
}
