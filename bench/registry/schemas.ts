import { defaultContext } from '../../packages/registry/src/state/qualified-subject.ts';
import { entryKeys, put } from '../../packages/registry/src/state/registry-entries.ts';

/** The size of a registry. Every version of every subject has a schema of its own. */
export interface RegistrySize {
  readonly subjects: number;
  readonly versions: number;
}

const teams = ['billing', 'checkout', 'inventory', 'shipping', 'identity', 'search', 'pricing'];
const registeredMs = 1_790_000_000_000;

export function subjectOf(subject: number): string {
  return `${teams[subject % teams.length]}.public.entity_${String(subject).padStart(5, '0')}-value`;
}

/** The id of a version, which counts from 1. */
export function idOf({ versions }: RegistrySize, subject: number, version: number): number {
  return subject * versions + version;
}

/** An Avro text of about 1 KiB. Each version has one more field, with a default. */
export function textOf(subject: number, version: number): string {
  const fields: object[] = [
    { name: 'id', type: 'string', doc: `Identifier of the entity ${subject}.` },
    { name: 'tenant', type: 'string' },
    { name: 'created_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'updated_at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'amount', type: { type: 'bytes', logicalType: 'decimal', precision: 18, scale: 4 } },
    { name: 'currency', type: 'string', default: 'EUR' },
    {
      name: 'state',
      type: { type: 'enum', name: 'State', symbols: ['OPEN', 'PAID', 'SENT', 'RETURNED'] },
    },
    { name: 'note', type: ['null', 'string'], doc: 'Free text, for people only.', default: null },
    { name: 'tags', type: { type: 'map', values: 'string' } },
    { name: `attribute_${subject}`, type: ['null', 'double'], default: null },
  ];
  for (let added = 1; added <= version; added++)
    fields.push({ name: `added_in_${added}`, type: ['null', 'string'], default: null });
  return JSON.stringify({
    type: 'record',
    name: `Entity${subject}`,
    namespace: `com.example.${teams[subject % teams.length]}.events`,
    doc: 'One change of an entity, as the service that owns it publishes it.',
    fields,
  });
}

/** The entries of a registry in the order in which registrations write them. */
export function* entriesOf(size: RegistrySize) {
  for (let version = 1; version <= size.versions; version++) {
    for (let subject = 0; subject < size.subjects; subject++) {
      const id = idOf(size, subject, version);
      const text = textOf(subject, version);
      yield put('schema', entryKeys.schema(defaultContext, id), { text, type: 'AVRO' });
      const entry = { id, ts: registeredMs + id };
      yield put('version', entryKeys.version(subjectOf(subject), version), entry);
    }
  }
  const nextId = size.subjects * size.versions + 1;
  yield put('context', entryKeys.context(defaultContext), { nextId });
}
