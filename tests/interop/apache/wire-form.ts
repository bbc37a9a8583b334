import type { Layout, LayoutType } from '@weir/wire';
import type { ApacheStruct, ApacheType } from './java-client.ts';

/**
 * Everything that determines the bytes of one message version, in a form common to Weir's layouts and Apache's schemas,
 * so that they can be compared as two lists of rows.
 */
interface WireType {
  readonly kind: string;
  readonly compact: boolean;
  readonly nullable: boolean;
  readonly element?: WireType;
  readonly struct?: WireStruct;
}

interface WireStruct {
  /** Whether the structure ends with a section of tagged fields. */
  readonly flexible: boolean;
  /** In wire order: tagged fields come last. */
  readonly fields: readonly WireField[];
}

interface WireField {
  readonly name: string;
  readonly tag: number | undefined;
  readonly type: WireType;
}

/** One row for the message, each field and each array element: `topics[].name`, `compact nullable string`. */
export interface WireRow {
  readonly path: string;
  readonly type: string;
}

export function rowsOf(struct: WireStruct): readonly WireRow[] {
  return typeRows('', undefined, { kind: 'struct', compact: false, nullable: false, struct });
}

function typeRows(path: string, tag: number | undefined, type: WireType): readonly WireRow[] {
  const { kind, compact, nullable, element, struct } = type;
  const words = [
    ...(tag === undefined ? [] : [`tag ${tag}:`]),
    ...(compact ? ['compact'] : []),
    ...(nullable ? ['nullable'] : []),
    kind,
    ...(struct?.flexible === true ? ['with tags'] : []),
  ];
  const fields = struct?.fields ?? [];
  return [
    { path, type: words.join(' ') },
    ...(element === undefined ? [] : typeRows(`${path}[]`, undefined, element)),
    ...fields.flatMap((field) =>
      typeRows(path === '' ? field.name : `${path}.${field.name}`, field.tag, field.type),
    ),
  ];
}

export function fromLayout(layout: Layout): WireStruct {
  return {
    flexible: layout.flexible,
    fields: [
      ...layout.fields.map(({ name, type, nullable }) => ({
        name,
        tag: undefined,
        type: fromLayoutType(type, nullable),
      })),
      ...layout.tagged.map(({ name, tag, type, nullable }) => ({
        name,
        tag,
        type: fromLayoutType(type, nullable),
      })),
    ],
  };
}

function fromLayoutType(type: LayoutType, nullable: boolean): WireType {
  const { kind } = type;
  switch (kind) {
    case 'struct':
      return { kind, compact: false, nullable, struct: fromLayout(type.layout) };
    case 'array':
      return { kind, compact: type.compact, nullable, element: fromLayoutType(type.element, false) };
    case 'string':
    case 'bytes':
    case 'records':
      return { kind, compact: type.compact, nullable };
    default:
      return { kind, compact: false, nullable };
  }
}

export function fromApache({ fields, tagged }: ApacheStruct): WireStruct {
  return {
    flexible: tagged !== null,
    fields: [
      ...fields.map(({ name, type }) => ({
        name: camelCase(name),
        tag: undefined,
        type: fromApacheType(type),
      })),
      ...(tagged ?? []).map(({ name, tag, type }) => ({
        name: camelCase(name),
        tag,
        type: fromApacheType(type),
      })),
    ],
  };
}

function fromApacheType({ kind, compact, nullable, element, struct }: ApacheType): WireType {
  return {
    kind: kind === 'BOOLEAN' ? 'bool' : kind.toLowerCase(),
    compact: compact ?? false,
    nullable,
    ...(element === undefined ? {} : { element: fromApacheType(element) }),
    ...(struct === undefined ? {} : { struct: fromApache(struct) }),
  };
}

/** Apache's schemas use `topic_id` where its message definitions and Weir use `topicId`. */
function camelCase(snakeCase: string): string {
  return snakeCase.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
