import { getString } from '../go/coerce.ts';
import { bloblangLimits } from '../limits.ts';
import type { Frame } from '../runtime/frame.ts';
import { fieldQuery } from '../runtime/paths.ts';
import type { Query } from '../runtime/query.ts';
import { type MethodBody, type MethodSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { fail, LimitError, prefixed, wrongType } from '../values/mapping-error.ts';
import { deleteAt, fieldOf, find, joinPath, Owned, setAt, setField, splitPath } from '../values/path.ts';
import { compareAsUtf8 } from '../values/print-json.ts';
import { Bytes, deletedValue, isObject, typeOf, type Value, type ValueObject } from '../values/value.ts';

const category = 'objects and arrays';

function objectOf(value: Value): ValueObject {
  if (!isObject(value)) throw wrongType(value, 'object');
  return value;
}

function pathsOf(list: readonly Value[]): string[][] {
  return list.map((value, index) => {
    try {
      return splitPath(getString(value));
    } catch (error) {
      throw prefixed(error, `argument ${index}`);
    }
  });
}

/** The paths that continue below a key. */
function below(paths: readonly (readonly string[])[], key: string): string[][] {
  return paths.filter((path) => path[0] === key).map((path) => path.slice(1));
}

function without(object: ValueObject, paths: readonly (readonly string[])[], frame: Frame): ValueObject {
  chargeTree(object, frame);
  const kept: ValueObject = {};
  for (const key of Object.keys(object)) {
    const inside = below(paths, key);
    if (inside.some((path) => path.length === 0)) continue;
    const value = object[key]!;
    setField(kept, key, inside.length > 0 && isObject(value) ? without(value, inside, frame) : value);
  }
  return kept;
}

function withOnly(object: ValueObject, paths: readonly (readonly string[])[], frame: Frame): ValueObject {
  chargeTree(object, frame);
  const kept: ValueObject = {};
  for (const key of Object.keys(object)) {
    const inside = below(paths, key);
    if (inside.length === 0) continue;
    const nested = inside.filter((path) => path.length > 0);
    const value = object[key]!;
    setField(kept, key, nested.length > 0 && isObject(value) ? withOnly(value, nested, frame) : value);
  }
  return kept;
}

/** Two values of the same key, in one array; arrays give their elements. */
function collected(into: Value, from: Value, frame: Frame): Value {
  const [left, right] = [Array.isArray(into) ? into : [into], Array.isArray(from) ? from : [from]];
  return joined(left, right, frame);
}

function joined(left: readonly Value[], right: readonly Value[], frame: Frame): Value[] {
  frame.run.budget.build(8 * (left.length + right.length));
  return [...left, ...right];
}

type Collide = (into: Value, from: Value, frame: Frame) => Value;

function merged(
  into: ValueObject,
  from: ValueObject,
  collide: Collide,
  frame: Frame,
  depth = 0,
): ValueObject {
  chargeTree(into, frame);
  chargeTree(from, frame);
  if (depth > bloblangLimits.valueDepthMax)
    throw new LimitError('the values are nested too deeply to be merged');
  const result: ValueObject = { ...into };
  for (const key of Object.keys(from)) {
    const value = from[key]!;
    const existing = fieldOf(result, key);
    if (existing === undefined) setField(result, key, value);
    else if (isObject(value) && isObject(existing))
      setField(result, key, merged(existing, value, collide, frame, depth + 1));
    else setField(result, key, collide(existing, value, frame));
  }
  return result;
}

function merging(collide: Collide): NonNullable<MethodSpec['make']> {
  return (args) => {
    const from = args.any('with');
    return (value, frame) => {
      if (Array.isArray(value)) {
        return joined(value, Array.isArray(from) ? from : [from], frame);
      }
      if (!isObject(value)) throw wrongType(value, 'object', 'array');
      return isObject(from) ? merged(value, from, collide, frame) : value;
    };
  };
}

/** Merging copies what it merges. */
function chargeTree(object: ValueObject, frame: Frame): void {
  frame.run.budget.copy(Object.keys(object).length);
}

function collapsed(value: Value, includesEmpty: boolean, frame: Frame): Value {
  if (!Array.isArray(value) && !isObject(value)) return fail('not an object or array');
  const flat: ValueObject = {};
  const visit = (inner: Value, path: string, depth: number): void => {
    if (depth > bloblangLimits.valueDepthMax)
      throw new LimitError('the value is nested too deeply to be collapsed');
    frame.run.budget.step();
    const entries: [string, Value][] | undefined = Array.isArray(inner)
      ? inner.map((element, index) => [String(index), element])
      : isObject(inner)
        ? Object.entries(inner)
        : undefined;
    if (entries === undefined || (entries.length === 0 && includesEmpty && path !== '')) {
      frame.run.budget.build(path.length);
      setField(flat, path, inner);
      return;
    }
    for (const [key, element] of entries) visit(element, path === '' ? key : `${path}.${key}`, depth + 1);
  };
  visit(value, '', 0);
  return flat;
}

function exploded(value: Value, path: readonly string[], frame: Frame): Value {
  const object = objectOf(value);
  const target = find(object, path) ?? null;
  const rest = without(object, [path], frame);
  const place = (element: Value): Value => {
    frame.run.budget.copy(Object.keys(object).length);
    frame.run.budget.build(64);
    return setAt(rest, path, element, new Owned(frame.run.budget));
  };
  if (Array.isArray(target)) return target.map(place);
  if (!isObject(target))
    return fail(`expected array or object value at path '${joinPath(path)}', found: ${typeOf(target)}`);
  const result: ValueObject = {};
  for (const key of Object.keys(target)) setField(result, key, place(target[key]!));
  return result;
}

const keysOf = (object: ValueObject): string[] => Object.keys(object).sort(compareAsUtf8);

function onObject(body: (object: ValueObject, frame: Frame) => Value): () => MethodBody {
  return () => (value, frame) => {
    const object = objectOf(value);
    frame.run.budget.copy(Object.keys(object).length);
    return body(object, frame);
  };
}

const slice: NonNullable<MethodSpec['make']> = (args) => {
  const low = args.integer('low');
  const high = args.optionalInteger('high');
  if (high !== undefined && high > 0 && low >= high)
    fail(`lower slice bound ${low} must be lower than upper (${high})`);
  const bounds = (length: number): [number, number] => {
    const end = Math.max(0, Math.min(length, high === undefined ? length : high < 0 ? length + high : high));
    const start = low < 0 ? Math.max(length + low, 0) : low;
    if (start > end)
      fail(
        `lower slice bound ${start} must be lower than or equal to upper bound (${end}) and target length (${length})`,
      );
    return [start, end];
  };
  return (value, frame) => {
    if (typeof value === 'string') return slicedText(value, bounds);
    if (value instanceof Bytes) return new Bytes(value.buffer.subarray(...bounds(value.buffer.length)));
    if (!Array.isArray(value)) throw wrongType(value, 'array', 'string');
    frame.run.budget.copy(value.length);
    return value.slice(...bounds(value.length));
  };
};

const asciiOnly = /^[\0-\x7f]*$/;

/** Positions are of bytes. */
function slicedText(text: string, bounds: (length: number) => [number, number]): string {
  if (asciiOnly.test(text)) return text.slice(...bounds(text.length));
  const bytes = Buffer.from(text, 'utf8');
  return bytes.subarray(...bounds(bytes.length)).toString('utf8');
}

const length: MethodBody = (value) => {
  if (typeof value === 'string') return Buffer.byteLength(value, 'utf8');
  if (value instanceof Bytes) return value.buffer.length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw wrongType(value, 'string', 'array', 'object');
};

export const objectMethods: readonly MethodSpec[] = [
  {
    name: 'assign',
    category,
    doc: 'Merges an object into the object; its fields replace those of the same name. Arrays are joined.',
    params: [param.any('with')],
    make: merging((_into, from) => from),
  },
  {
    name: 'merge',
    category,
    doc: 'Merges an object into the object; values of the same key become an array of both. Arrays are joined.',
    params: [param.any('with')],
    make: merging(collected),
  },
  {
    name: 'collapse',
    category,
    doc: 'Yields one flat object whose keys are the paths of all values.',
    params: [withDefault(param.bool('include_empty'), false)],
    make: (args) => (value, frame) => collapsed(value, args.bool('include_empty'), frame),
  },
  {
    name: 'exists',
    category,
    doc: 'Whether there is a field at a path.',
    params: [param.string('path')],
    make: (args) => {
      const path = splitPath(args.string('path'));
      return (value) => find(value, path) !== undefined;
    },
  },
  {
    name: 'explode',
    category,
    doc: 'Yields the object once for each element or field of what is at a path, with only that one there.',
    params: [param.string('path')],
    make: (args) => {
      const path = splitPath(args.string('path'));
      return (value, frame) => exploded(value, path, frame);
    },
  },
  {
    name: 'get',
    category,
    doc: 'Yields the field at a path, or null.',
    params: [param.string('path')],
    build: (target: Query, args) => fieldQuery(target, args.string('path')),
  },
  {
    name: 'set',
    category,
    doc: 'Yields the object with a value at a path; `deleted()` removes the field.',
    params: [param.string('path'), param.any('value')],
    make: (args) => {
      const path = splitPath(args.string('path'));
      const given = args.any('value');
      return (value, frame) => {
        const owned = new Owned(frame.run.budget);
        return given === deletedValue ? deleteAt(value, path, owned) : setAt(value ?? {}, path, given, owned);
      };
    },
  },
  {
    name: 'keys',
    category,
    doc: 'Yields the keys of an object, sorted.',
    params: [],
    make: onObject(keysOf),
  },
  {
    name: 'key_values',
    category,
    doc: 'Yields the fields of an object as objects with `key` and `value`.',
    params: [],
    make: onObject((object, frame) => {
      const keys = keysOf(object);
      frame.run.budget.build(32 * keys.length);
      return keys.map((key) => ({ key, value: object[key]! }));
    }),
  },
  {
    name: 'values',
    category,
    doc: 'Yields the values of an object.',
    params: [],
    make: onObject((object) => keysOf(object).map((key) => object[key]!)),
  },
  {
    name: 'length',
    category: 'strings',
    doc: 'Yields the number of bytes of a string, elements of an array, or fields of an object.',
    params: [],
    make: () => length,
  },
  {
    name: 'slice',
    category: 'strings',
    doc: 'Yields the part from a low to a high position; negative ones count from the end. Strings have bytes.',
    params: [param.integer('low'), optional(param.integer('high'))],
    make: slice,
  },
  {
    name: 'squash',
    category,
    doc: 'Merges an array of objects into one, as `merge` does.',
    params: [],
    make: () => (value, frame) => {
      if (!Array.isArray(value)) throw wrongType(value, 'array');
      frame.run.budget.step(value.length);
      let result: ValueObject = {};
      for (const element of value) {
        if (!isObject(element)) continue;
        result = merged(result, element, collected, frame);
      }
      return result;
    },
  },
  {
    name: 'with',
    category,
    doc: 'Yields the object with only the fields at the paths.',
    params: 'variadic',
    make: (args) => {
      const paths = pathsOf(args.list);
      return (value, frame) => withOnly(objectOf(value), paths, frame);
    },
  },
  {
    name: 'without',
    category,
    doc: 'Yields the object without the fields at the paths.',
    params: 'variadic',
    make: (args) => {
      const paths = pathsOf(args.list);
      return (value, frame) => without(objectOf(value), paths, frame);
    },
  },
];
