import { type Layout, type LayoutField, type LayoutType, zeroUuid } from '@weir/wire';

/** The paths of all lists of a request. */
export function listPaths({ fields, tagged }: Layout): string[] {
  return [...fields, ...tagged].flatMap(({ type }) => pathsIn(type));
}

function pathsIn(type: LayoutType): string[] {
  if (type.kind === 'array') return [type.path, ...pathsIn(type.element)];
  return type.kind === 'struct' ? listPaths(type.layout) : [];
}

/** A list of a request that is long. */
export interface LongList {
  /** As in `topics[].partitions[]`. */
  readonly path: string;
  readonly entries: number;
  /** Whether all entries of the list are the same. */
  readonly isRepeated: boolean;
}

/** Creates the value of a field, different for every index if possible. */
type Maker<Value = unknown> = (index: number) => Value;

/** Creates bodies of requests in which one list is long, and those around it have one entry. */
export function structMaker({ fields, tagged, absent }: Layout, long: LongList): Maker<object> {
  const makers = [
    ...absent.map((field): [string, Maker] => [field.name, () => defaultOf(field)]),
    ...[...fields, ...tagged].map((field): [string, Maker] => [field.name, fieldMaker(field, long)]),
  ];
  return (index) => {
    const struct: Record<string, unknown> = {};
    for (const [name, make] of makers) struct[name] = make(index);
    return struct;
  };
}

function defaultOf({ type, default: usual }: LayoutField): unknown {
  if (usual !== 'empty') return usual;
  return type.kind === 'array' ? [] : noBytes;
}

const noBytes = Buffer.alloc(0);

function fieldMaker({ name, type }: LayoutField, long: LongList): Maker {
  // No waits or timeouts: only the lists matter here.
  if (/wait|timeout|minBytes/i.test(name) && type.kind === 'int32') return () => 0;
  return makerOf(type, long);
}

function makerOf(type: LayoutType, long: LongList): Maker {
  switch (type.kind) {
    case 'bool':
      return () => false;
    case 'int64':
      return () => 0n;
    case 'uuid':
      return (index) => String(index + 1).padStart(zeroUuid.length, '0');
    case 'string':
      return (index) => `name-${index}`;
    case 'bytes':
    case 'records':
      return () => noBytes;
    case 'struct':
      return structMaker(type.layout, long);
    case 'array': {
      const make = makerOf(type.element, long);
      if (type.path === long.path) {
        const { entries, isRepeated } = long;
        if (isRepeated) return () => new Array(entries).fill(make(0));
        return () => Array.from({ length: entries }, (_, at) => make(at));
      }
      return long.path.startsWith(`${type.path}.`) ? () => [make(0)] : () => [];
    }
    case 'int8':
      return (index) => index % 4;
    default:
      return (index) => index % 30_000;
  }
}
