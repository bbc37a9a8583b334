import type { Layout, LayoutType } from '@weir/wire';
import { carriedFields, type Struct } from '../clients/struct.ts';

/** One field that the servers answered differently. */
export interface Difference {
  /** The field by its path in the definition: `topics[].name`. Empty for the whole answer. */
  readonly path: string;
  /** Which elements of the lists on the path: `orders/0`. */
  readonly at: string;
  readonly apache: string;
  readonly weir: string;
}

/**
 * Compares two answers in normal form, field by field. Elements of lists belong together by what identifies them, not
 * by position: no client relies on the order of topics, groups or configs, and servers do not promise one.
 */
export function differencesOf(layout: Layout, apache: Struct, weir: Struct): readonly Difference[] {
  const found: Difference[] = [];
  compareStructs(layout, apache, weir, [], found);
  return found;
}

function compareStructs(
  layout: Layout,
  apache: Struct,
  weir: Struct,
  at: readonly string[],
  found: Difference[],
): void {
  if (apache.errorCode === serverError && weir.errorCode !== serverError) {
    // What is beside this error is empty.
    const path = carriedFields(layout).find(({ name }) => name === 'errorCode')!.path;
    found.push({ path, at: at.join('/'), apache: serverError, weir: printed(weir.errorCode) });
    return;
  }
  for (const { name, path, type } of carriedFields(layout)) {
    compareValues(type, apache[name], weir[name], path, at, found);
  }
}

function compareValues(
  type: LayoutType,
  apache: unknown,
  weir: unknown,
  path: string,
  at: readonly string[],
  found: Difference[],
): void {
  if (type.kind === 'struct' && apache !== null && weir !== null) {
    compareStructs(type.layout, apache as Struct, weir as Struct, at, found);
  } else if (type.kind === 'array' && type.element.kind === 'struct' && apache !== null && weir !== null) {
    compareLists(
      type.element,
      apache as readonly Struct[],
      weir as readonly Struct[],
      `${path}[]`,
      at,
      found,
    );
  } else if (printed(apache) !== printed(weir)) {
    found.push({ path, at: at.join('/'), apache: printed(apache), weir: printed(weir) });
  }
}

function compareLists(
  element: LayoutType & { readonly kind: 'struct' },
  apache: readonly Struct[],
  weir: readonly Struct[],
  path: string,
  at: readonly string[],
  found: Difference[],
): void {
  const theirs = byIdentity(apache);
  const ours = byIdentity(weir);
  for (const identity of new Set([...theirs.keys(), ...ours.keys()])) {
    const [one, other] = [theirs.get(identity), ours.get(identity)];
    const inside = [...at, identity];
    if (one !== undefined && other !== undefined) compareStructs(element.layout, one, other, inside, found);
    else
      found.push({
        path,
        at: inside.join('/'),
        apache: one ? printed(one) : absent,
        weir: other ? printed(other) : absent,
      });
  }
}

/** The error of Apache Kafka that says that a request has made it fail. */
const serverError = 'UNKNOWN_SERVER_ERROR';

export const absent = 'absent';

/** Fields that say which element of its list a structure is. Names go before ids, which not every answer has. */
const names = ['name', 'topic', 'topicName', 'topicId'];
const identities = [
  ...['partitionIndex', 'partition', 'partitionId', 'index'],
  ...['groupId', 'memberId', 'transactionalId', 'resourceType', 'resourceName', 'apiKey', 'key', 'user'],
  ...['feature', 'producerId', 'nodeId', 'brokerId', 'entityType', 'entityName', 'principal', 'operation'],
  ...[
    'permissionType',
    'patternType',
    'host',
    'subtopologyId',
    'firstOffset',
    'mechanism',
    'entity',
    'logDir',
    'statusCode',
  ],
];

/** Elements by what identifies them; those of the same identity are numbered. */
function byIdentity(list: readonly Struct[]): ReadonlyMap<string, Struct> {
  const found = new Map<string, Struct>();
  for (const struct of list) {
    const named = names.filter((name) => typeof struct[name] === 'string' && struct[name] !== '').slice(0, 1);
    const parts = [...named, ...identities.filter((name) => name in struct)];
    const identity = parts.map((name) => identityText(struct[name])).join(' ');
    let distinct = identity;
    for (let n = 2; found.has(distinct); n++) distinct = `${identity} (${n})`;
    found.set(distinct, struct);
  }
  return found;
}

/** The parts of an entity have no order. */
function identityText(value: unknown): string {
  return Array.isArray(value) ? value.map(printed).toSorted().join(' ') : printed(value);
}

/** A value as text, which is how values are compared. */
export function printed(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
