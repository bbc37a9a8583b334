import { getFloat, toBytes, toText } from '../go/coerce.ts';
import type { Frame } from '../runtime/frame.ts';
import { applied } from '../runtime/query.ts';
import { type MethodBody, type MethodSpec, optional, param } from '../runtime/spec.ts';
import { comparableText, isEqual } from '../values/compare.ts';
import { fail, placed, prefixed, wrongType } from '../values/mapping-error.ts';
import { floatValue, isNumber } from '../values/numbers.ts';
import { setField } from '../values/path.ts';
import { compareAsUtf8 } from '../values/print-json.ts';
import {
  Bytes,
  deletedValue,
  isObject,
  nothingValue,
  type Value,
  type ValueObject,
} from '../values/value.ts';

const category = 'objects and arrays';

function arrayOf(value: Value): Value[] {
  if (!Array.isArray(value)) throw wrongType(value, 'array');
  return value;
}

/** A method of arrays; copies are charged. */
function onArray(body: (array: Value[], frame: Frame) => Value): () => MethodBody {
  return () => (value, frame) => {
    const array = arrayOf(value);
    frame.run.budget.copy(array.length);
    return body(array, frame);
  };
}

function booleanFor(query: ReturnType<typeof applied>, what: string) {
  return (frame: Frame, value: Value, index: number): boolean => {
    frame.run.budget.step();
    try {
      const result = query(frame, value);
      if (typeof result !== 'boolean') throw wrongType(result, 'bool');
      return result;
    } catch (error) {
      throw prefixed(error, `${what} ${index}`);
    }
  };
}

/** Whether some or all elements pass; neither is true of an empty array. */
function quantifier(isForAll: boolean): NonNullable<MethodSpec['make']> {
  return (args) => {
    const test = booleanFor(applied(args.query('test')), 'element');
    return (value, frame) => {
      const array = arrayOf(value);
      for (let index = 0; index < array.length; index++)
        if (test(frame, array[index]!, index) !== isForAll) return !isForAll;
      return isForAll && array.length > 0;
    };
  };
}

/** Runs a query for `{key, value}` of each field. */
function eachField(object: ValueObject, frame: Frame, visit: (key: string, pair: ValueObject) => void): void {
  for (const key of Object.keys(object)) {
    frame.run.budget.step();
    visit(key, { key, value: object[key]! });
  }
}

const filter: NonNullable<MethodSpec['make']> = (args) => {
  const test = applied(args.query('test'));
  return (value, frame) => {
    if (Array.isArray(value)) {
      const kept: Value[] = [];
      for (let index = 0; index < value.length; index++) {
        frame.run.budget.step();
        const element = value[index]!;
        if (test(frame, element) === true) kept.push(element);
      }
      return kept;
    }
    if (!isObject(value)) throw wrongType(value, 'array', 'object');
    const kept: ValueObject = {};
    eachField(value, frame, (key, pair) => {
      if (test(frame, pair) === true) setField(kept, key, pair.value!);
    });
    return kept;
  };
};

const mapEach: NonNullable<MethodSpec['make']> = (args) => {
  const query = args.query('query');
  const map = applied(query);
  return (value, frame) => {
    if (Array.isArray(value)) {
      const mapped: Value[] = [];
      try {
        for (let index = 0; index < value.length; index++) {
          frame.run.budget.step();
          const element = value[index]!;
          const result = map(frame, element);
          if (result === nothingValue) mapped.push(element);
          else if (result !== deletedValue) mapped.push(result);
        }
      } catch (error) {
        throw placed(error, query.annotation);
      }
      return mapped;
    }
    if (!isObject(value)) throw wrongType(value, 'array', 'object');
    const mapped: ValueObject = {};
    eachField(value, frame, (key, pair) => {
      let result: Value;
      try {
        result = map(frame, pair);
      } catch (error) {
        throw prefixed(placed(error, query.annotation), `failed to process element ${key}`);
      }
      if (result !== deletedValue) setField(mapped, key, result === nothingValue ? pair.value! : result);
    });
    return mapped;
  };
};

const mapEachKey: NonNullable<MethodSpec['make']> = (args) => {
  const map = applied(args.query('query'));
  return (value, frame) => {
    if (!isObject(value)) throw wrongType(value, 'object');
    const mapped: ValueObject = {};
    for (const key of Object.keys(value)) {
      frame.run.budget.step();
      const result = map(frame, key);
      if (result !== nothingValue && typeof result !== 'string')
        throw prefixed(wrongType(result, 'string'), 'unexpected result from key mapping');
      setField(mapped, result === nothingValue ? key : (result as string), value[key]!);
    }
    return mapped;
  };
};

/** Whether the left value comes before the right one; values of both kinds do not mix. */
function isBefore(left: Value, right: Value, describe: (error: unknown) => unknown): boolean {
  try {
    if (isNumber(left)) return getFloat(left) < getFloat(right);
    if (typeof left !== 'string' && !(left instanceof Bytes)) throw wrongType(left, 'number', 'string');
    const other = comparableText(right);
    if (other === undefined) throw wrongType(right, 'string');
    return compareAsUtf8(comparableText(left)!, other) < 0;
  } catch (error) {
    throw describe(error);
  }
}

function sorted(array: Value[], frame: Frame, before: (left: Value, right: Value) => boolean): Value[] {
  return array.slice().sort((left, right) => {
    frame.run.budget.step();
    if (before(left, right)) return -1;
    return before(right, left) ? 1 : 0;
  });
}

const sortMethod: NonNullable<MethodSpec['make']> = (args) => {
  const query = args.optionalQuery('compare');
  const compare = query && applied(query);
  return (value, frame) => {
    const array = arrayOf(value);
    if (compare === undefined)
      return sorted(array, frame, (left, right) =>
        isBefore(left, right, (error) => prefixed(error, 'sort element')),
      );
    return sorted(array, frame, (left, right) => {
      const result = compare(frame, { left, right });
      if (typeof result !== 'boolean') throw placed(wrongType(result, 'bool'), 'sort argument');
      return result;
    });
  };
};

const sortBy: NonNullable<MethodSpec['make']> = (args) => {
  const query = args.query('query');
  const keyOf = applied(query);
  return (value, frame) => {
    const keyed = arrayOf(value).map((element) => {
      frame.run.budget.step();
      return { element, key: keyOf(frame, element) };
    });
    const describe = (error: unknown) => prefixed(placed(error, query.annotation), 'sort_by element');
    // Even one element must have a key that has an order, if there are others.
    return keyed
      .sort((left, right) => {
        frame.run.budget.step();
        if (isBefore(left.key, right.key, describe)) return -1;
        return isBefore(right.key, left.key, describe) ? 1 : 0;
      })
      .map(({ element }) => element);
  };
};

const unique: NonNullable<MethodSpec['make']> = (args) => {
  const query = args.optionalQuery('emit');
  const emit = query && applied(query);
  return (value, frame) => {
    const seen = new Set<string | number>();
    return arrayOf(value).filter((element, index) => {
      frame.run.budget.step();
      const key = emit ? emit(frame, element) : element;
      const id = isNumber(key) ? getFloat(key) : comparableText(key);
      if (id === undefined) throw prefixed(wrongType(key, 'string', 'number'), `index ${index}`);
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    });
  };
};

/** The largest or smallest number. */
function extreme(isBetter: (one: number, other: number) => boolean): () => MethodBody {
  return onArray((array) => {
    if (array.length === 0) fail('the array was empty');
    let best = Number.NaN;
    array.forEach((element, index) => {
      let number: number;
      try {
        number = getFloat(element);
      } catch (error) {
        throw prefixed(error, `index ${index} of array`);
      }
      if (index === 0 || isBetter(number, best)) best = number;
    });
    return floatValue(best);
  });
}

const sum: MethodBody = (value, frame) => {
  if (isNumber(value)) return value;
  const array = arrayOf(value);
  frame.run.budget.copy(array.length);
  let total = 0;
  array.forEach((element, index) => {
    try {
      total += getFloat(element);
    } catch (error) {
      throw prefixed(error, `index ${index}`);
    }
  });
  return floatValue(total);
};

const contains: NonNullable<MethodSpec['make']> = (args) => {
  const wanted = args.any('value');
  return (value, frame) => {
    if (typeof value === 'string') return value.includes(toText(wanted));
    if (value instanceof Bytes) return value.buffer.includes(toBytes(wanted));
    const elements = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : undefined;
    if (elements === undefined) throw wrongType(value, 'string', 'array', 'object');
    frame.run.budget.step(elements.length);
    return elements.some((element) => isEqual(wanted, element, frame.run.budget));
  };
};

/** Indexes of elements that pass: the first, or all. */
function finder(
  isAll: boolean,
  testOf: (
    args: Parameters<NonNullable<MethodSpec['make']>>[0],
  ) => (frame: Frame, value: Value, index: number) => boolean,
): NonNullable<MethodSpec['make']> {
  return (args) => {
    const test = testOf(args);
    return (value, frame) => {
      const array = arrayOf(value);
      const found: Value[] = [];
      for (let index = 0; index < array.length; index++) {
        if (!test(frame, array[index]!, index)) continue;
        if (!isAll) return index;
        found.push(index);
      }
      return isAll ? found : -1;
    };
  };
}

const equalTo: Parameters<typeof finder>[1] = (args) => {
  const wanted = args.any('value');
  return (frame, value) => {
    frame.run.budget.step();
    return isEqual(wanted, value, frame.run.budget);
  };
};
const passing: Parameters<typeof finder>[1] = (args) =>
  booleanFor(applied(args.query('query')), 'query failed for index');

const fold: NonNullable<MethodSpec['make']> = (args) => {
  const initial = args.any('initial');
  const combine = applied(args.query('query'));
  return (value, frame) => {
    let tally = initial;
    for (const element of arrayOf(value)) {
      frame.run.budget.step();
      tally = combine(frame, { tally, value: element });
    }
    return tally;
  };
};

const indexMethod: NonNullable<MethodSpec['make']> = (args) => {
  const given = args.integer('index');
  return (value) => {
    const elements = value instanceof Bytes ? value.buffer : arrayOf(value);
    const index = given < 0 ? elements.length + given : given;
    if (index < 0 || index >= elements.length)
      fail(`index '${index}' was out of bounds for array size: ${elements.length}`);
    return elements[index]!;
  };
};

/** Parts of an array between elements that separate. */
function segments(array: readonly Value[], isSeparator: (value: Value, index: number) => boolean): Value[] {
  const parts: Value[][] = [[]];
  array.forEach((element, index) => {
    if (isSeparator(element, index)) parts.push([]);
    else parts.at(-1)!.push(element);
  });
  return parts;
}

const split: NonNullable<MethodSpec['make']> = (args) => {
  const delimiter = args.any('delimiter');
  return (value, frame) => {
    if (Array.isArray(value)) {
      frame.run.budget.step(value.length);
      return segments(value, (element) => isEqual(delimiter, element, frame.run.budget));
    }
    if (typeof value !== 'string' && !(value instanceof Bytes))
      throw wrongType(value, 'string', 'array', 'bytes');
    if (typeof delimiter !== 'string') return fail('the delimiter must be a string, as the value is');
    frame.run.budget.build(8 * (typeof value === 'string' ? value.length : value.buffer.length));
    if (typeof value === 'string') return delimiter === '' ? [...value] : value.split(delimiter);
    return splitBytes(value.buffer, Buffer.from(delimiter, 'utf8')).map((part) => new Bytes(part));
  };
};

function splitBytes(buffer: Buffer, delimiter: Buffer): Buffer[] {
  if (delimiter.length === 0) return [...buffer].map((byte) => Buffer.from([byte]));
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = buffer.indexOf(delimiter); at >= 0; at = buffer.indexOf(delimiter, start)) {
    parts.push(buffer.subarray(start, at));
    start = at + delimiter.length;
  }
  parts.push(buffer.subarray(start));
  return parts;
}

const splitBy: NonNullable<MethodSpec['make']> = (args) => {
  const predicate = applied(args.query('predicate'));
  return (value, frame) => {
    const isSeparator = (element: Value): boolean => {
      frame.run.budget.step();
      return predicate(frame, element) === true;
    };
    if (Array.isArray(value)) return segments(value, isSeparator);
    if (typeof value === 'string')
      return segments([...value], isSeparator).map((part) => (part as string[]).join(''));
    if (!(value instanceof Bytes)) throw wrongType(value, 'string', 'array', 'bytes');
    return segments([...value.buffer], isSeparator).map((part) => new Bytes(Buffer.from(part as number[])));
  };
};

const joinMethod: NonNullable<MethodSpec['make']> = (args) => {
  const delimiter = args.optionalString('delimiter') ?? '';
  return (value, frame) => {
    const texts = arrayOf(value).map((element, index) => {
      if (typeof element === 'string') return element;
      if (element instanceof Bytes) return element.buffer.toString('utf8');
      throw prefixed(wrongType(element, 'string'), `failed to join element ${index}`);
    });
    frame.run.budget.build(texts.reduce((total, text) => total + text.length + delimiter.length, 0));
    return texts.join(delimiter);
  };
};

function arrayArgs(list: readonly Value[]): Value[][] {
  return list.map((value) => arrayOf(value));
}

const concat: NonNullable<MethodSpec['make']> = (args) => {
  const others = arrayArgs(args.list);
  return (value, frame) => {
    const array = arrayOf(value);
    frame.run.budget.build(8 * others.reduce((total, other) => total + other.length, array.length));
    return array.concat(...others);
  };
};

const zip: NonNullable<MethodSpec['make']> = (args) => {
  const others = arrayArgs(args.list);
  const differs = "can't zip different length array values";
  if (others.some(({ length }) => length !== others[0]!.length)) fail(differs);
  return (value, frame) => {
    const array = arrayOf(value);
    if (others.length === 0) fail('zip requires at least one argument');
    if (array.length !== others[0]!.length) fail(differs);
    frame.run.budget.build(8 * array.length * (others.length + 1));
    return array.map((element, index) => [element, ...others.map((other) => other[index]!)]);
  };
};

const queryParam = [param.query('query')];

export const arrayMethods: readonly MethodSpec[] = [
  {
    name: 'all',
    category,
    doc: 'Whether a query is true for every element; false for an empty array.',
    params: [param.query('test')],
    make: quantifier(true),
  },
  {
    name: 'any',
    category,
    doc: 'Whether a query is true for some element.',
    params: [param.query('test')],
    make: quantifier(false),
  },
  {
    name: 'append',
    category,
    doc: 'Yields the array with the arguments at its end.',
    params: 'variadic',
    make: (args) => (value, frame) => {
      const array = arrayOf(value);
      frame.run.budget.copy(array.length);
      frame.run.budget.build(8 * args.list.length);
      return [...array, ...args.list];
    },
  },
  {
    name: 'concat',
    category,
    doc: 'Yields the array with the elements of the argument arrays at its end.',
    params: 'variadic',
    make: concat,
  },
  {
    name: 'contains',
    category,
    doc: 'Whether an array or object has an equal element, or a string has the argument in it.',
    params: [param.any('value')],
    make: contains,
  },
  {
    name: 'enumerated',
    category,
    doc: 'Yields an array of objects with the `index` and the `value` of each element.',
    params: [],
    make: onArray((array, frame) => {
      frame.run.budget.build(32 * array.length);
      return array.map((value, index) => ({ index, value }));
    }),
  },
  {
    name: 'filter',
    category,
    doc: 'Yields the elements, or the fields as `key` and `value`, for which a query is true.',
    params: [param.query('test')],
    make: filter,
  },
  {
    name: 'find',
    category,
    doc: 'Yields the index of the first equal element, or -1.',
    params: [param.any('value')],
    make: finder(false, equalTo),
  },
  {
    name: 'find_all',
    category,
    doc: 'Yields the indexes of all equal elements.',
    params: [param.any('value')],
    make: finder(true, equalTo),
  },
  {
    name: 'find_by',
    category,
    doc: 'Yields the index of the first element for which a query is true, or -1.',
    params: queryParam,
    make: finder(false, passing),
  },
  {
    name: 'find_all_by',
    category,
    doc: 'Yields the indexes of all elements for which a query is true.',
    params: queryParam,
    make: finder(true, passing),
  },
  {
    name: 'flatten',
    category,
    doc: 'Replaces elements that are arrays by their elements, one level deep.',
    params: [],
    make: onArray((array, frame) => {
      const flat = array.flat(1) as Value[];
      frame.run.budget.build(8 * flat.length);
      return flat;
    }),
  },
  {
    name: 'fold',
    category,
    doc: 'Combines elements: a query gets `tally`, the result so far, and `value`, and yields the next result.',
    params: [param.any('initial'), param.query('query')],
    make: fold,
  },
  {
    name: 'index',
    category,
    doc: 'Yields the element at an index, from the end if it is negative; fails outside of the array.',
    params: [param.integer('index')],
    make: indexMethod,
  },
  {
    name: 'join',
    category,
    doc: 'Joins strings with a delimiter between them.',
    params: [optional(param.string('delimiter'))],
    make: joinMethod,
  },
  {
    name: 'map_each',
    category,
    doc: 'Replaces each element, or each field given as `key` and `value`, by what a query yields; deleted ones are left out.',
    params: queryParam,
    make: mapEach,
  },
  {
    name: 'map_each_key',
    category,
    doc: 'Replaces each key of an object by what a query yields for it.',
    params: queryParam,
    make: mapEachKey,
  },
  {
    name: 'max',
    category: 'numbers',
    doc: 'Yields the largest number of an array.',
    params: [],
    make: extreme((one, best) => one > best),
  },
  {
    name: 'min',
    category: 'numbers',
    doc: 'Yields the smallest number of an array.',
    params: [],
    make: extreme((one, best) => one < best),
  },
  {
    name: 'sort',
    category,
    doc: 'Sorts numbers or strings, or any values by a query that compares `left` and `right`.',
    params: [optional(param.query('compare'))],
    make: sortMethod,
  },
  {
    name: 'sort_by',
    category,
    doc: 'Sorts elements by the number or string that a query yields for each.',
    params: queryParam,
    make: sortBy,
  },
  {
    name: 'split',
    category: 'strings',
    doc: 'Splits a string or an array at every delimiter.',
    params: [param.any('delimiter')],
    make: split,
  },
  {
    name: 'split_by',
    category: 'strings',
    status: 'experimental',
    doc: 'Splits a string or an array at characters or elements for which a query is true.',
    params: [param.query('predicate')],
    make: splitBy,
  },
  { name: 'sum', category, doc: 'Yields the sum of the numbers of an array.', params: [], make: () => sum },
  {
    name: 'unique',
    category,
    doc: 'Leaves out elements that were there before; a query may yield what makes them equal.',
    params: [optional(param.query('emit'))],
    make: unique,
  },
  {
    name: 'zip',
    category,
    doc: 'Yields arrays of the elements that the array and the argument arrays have at each index.',
    params: 'variadic',
    make: zip,
  },
];
