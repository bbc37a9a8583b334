import type { Field, FieldOptions, Fields, ScalarKind, Shape } from './field.ts';
import type { Message } from './message.ts';
import { everyVersion, includesVersion, parseVersions } from './versions.ts';

/**
 * The wire format of one version of a message: the definition with all version ranges resolved.
 *
 * Encoders, decoders, test generators and the comparison with Apache's schemas all use this and never the version
 * ranges, so that there is one place where a range is interpreted.
 */
export interface Layout {
  readonly flexible: boolean;
  /** The fields in wire order. */
  readonly fields: readonly LayoutField[];
  /** Tagged fields in the order of their tags; empty unless flexible. */
  readonly tagged: readonly TaggedLayoutField[];
  /** Fields of other versions. They have their default here. */
  readonly absent: readonly LayoutField[];
  /** All names in the order of the definition, which is the order of the properties of decoded objects. */
  readonly names: readonly string[];
}

export interface LayoutField {
  readonly name: string;
  /** As errors name it: `topicData[].partitionData[].records`. */
  readonly path: string;
  readonly type: LayoutType;
  readonly nullable: boolean;
  readonly default: DefaultValue;
  readonly ignorable: boolean;
  /** Whether writers may omit it. */
  readonly optional: boolean;
}

interface TaggedLayoutField extends LayoutField {
  readonly tag: number;
}

export type LayoutType =
  | { readonly kind: Exclude<ScalarKind, 'string' | 'bytes' | 'records'> }
  | { readonly kind: 'string' | 'bytes' | 'records'; readonly compact: boolean }
  | { readonly kind: 'array'; readonly compact: boolean; readonly element: LayoutType; readonly path: string }
  | { readonly kind: 'struct'; readonly layout: Layout };

/** Structures and arrays default to empty ones, which are created each time and so are not values here. */
type DefaultValue = null | boolean | number | bigint | string | 'empty';

export const zeroUuid = 'AAAAAAAAAAAAAAAAAAAAAA';

export function layoutOf(message: Message, version: number): Layout {
  if (!includesVersion(message.versions, version)) {
    throw new RangeError(`${message.name} has no version ${version}`);
  }
  return structLayout(message.fields, version, includesVersion(message.flexible, version), '');
}

function structLayout(fields: Fields, version: number, flexible: boolean, pathPrefix: string): Layout {
  const present: LayoutField[] = [];
  const tagged: TaggedLayoutField[] = [];
  const absent: LayoutField[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const resolved = fieldLayout(name, field, version, flexible, pathPrefix);
    const versions = field.options.versions;
    if (!includesVersion(versions === undefined ? everyVersion : parseVersions(versions), version)) {
      absent.push(resolved);
    } else if (field.options.tag !== undefined) {
      tagged.push({ ...resolved, tag: field.options.tag });
    } else {
      present.push(resolved);
    }
  }
  // A tagged field cannot be sent in a version without tags; there it counts as absent.
  if (!flexible) absent.push(...tagged.splice(0));
  tagged.sort((a, b) => a.tag - b.tag);
  return { flexible, fields: present, tagged, absent, names: Object.keys(fields) };
}

function fieldLayout(
  name: string,
  { shape, options }: Field,
  version: number,
  flexible: boolean,
  pathPrefix: string,
): LayoutField {
  const path = pathPrefix + name;
  return {
    name,
    path,
    type: typeLayout(shape, version, flexible, path, options.compact ?? true),
    nullable: isNullable(options, version),
    default: defaultOf(shape, options),
    ignorable: options.ignorable === true,
    optional: options.default !== undefined || options.versions !== undefined || options.tag !== undefined,
  };
}

function typeLayout(
  shape: Shape,
  version: number,
  flexible: boolean,
  path: string,
  compact: boolean,
): LayoutType {
  switch (shape.kind) {
    case 'array':
      return {
        kind: 'array',
        compact: flexible && compact,
        element: typeLayout(shape.element, version, flexible, `${path}[]`, compact),
        path: `${path}[]`,
      };
    case 'struct':
      return { kind: 'struct', layout: structLayout(shape.fields, version, flexible, `${path}.`) };
    case 'string':
    case 'bytes':
    case 'records':
      return { kind: shape.kind, compact: flexible && compact };
    default:
      return { kind: shape.kind };
  }
}

function isNullable({ nullable }: FieldOptions, version: number): boolean {
  if (nullable === undefined) return false;
  return nullable === true || includesVersion(parseVersions(nullable), version);
}

function defaultOf(shape: Shape, options: FieldOptions): DefaultValue {
  if (options.default !== undefined) return options.default as DefaultValue;
  switch (shape.kind) {
    case 'bool':
      return false;
    case 'int64':
      return 0n;
    case 'string':
      return '';
    case 'uuid':
      return zeroUuid;
    case 'array':
    case 'struct':
    case 'bytes':
    case 'records':
      return 'empty';
    default:
      return 0;
  }
}
