import { seededRandom } from '@weir/core';
import { getFloat, getInt, toInt } from '../go/coerce.ts';
import { applied } from '../runtime/query.ts';
import { type FunctionSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { fail, prefixed } from '../values/mapping-error.ts';
import { floatValue, int64, intValue } from '../values/numbers.ts';
import { deletedValue, nothingValue, type Value } from '../values/value.ts';

const category = 'general';

const range: FunctionSpec['make'] = (args) => {
  const [start, stop, step] = [args.integer('start'), args.integer('stop'), args.integer('step')];
  if (step === 0) fail('step must be greater than or less than 0');
  if (step < 0 && stop > start) fail(`with negative step arg stop (${stop}) must be <= start (${start})`);
  if (step > 0 && start >= stop) fail(`with positive step arg start (${start}) must be < stop (${stop})`);
  const length = Math.trunc((stop - start) / step);
  return ({ run }) => {
    run.budget.build(8 * length);
    return Array.from({ length }, (_none, index) => start + step * index);
  };
};

const randomInt: FunctionSpec['make'] = (args) => {
  const [min, max] = [args.bigint('min'), args.bigint('max')];
  const seed = args.query('seed');
  if (min < 0n) fail(`min (${min}) must be a positive number`);
  if (max < min) fail(`min (${min}) must be smaller or equal than max (${max})`);
  if (max === int64.max) fail(`max must be smaller than the max allowed for an int64 (${int64.max})`);
  let random: { next(): number } | undefined;
  return (frame) => {
    if (random === undefined) {
      try {
        random = seededRandom(Number(BigInt.asUintN(32, toInt(seed.exec(frame)))));
      } catch (error) {
        throw prefixed(error, 'failed to seed random number generator');
      }
    }
    const span = max - min + 1n;
    const bits =
      (BigInt(Math.floor(random.next() * 2 ** 32)) << 32n) | BigInt(Math.floor(random.next() * 2 ** 32));
    return intValue((bits % span) + min);
  };
};

const counter: FunctionSpec['make'] = (args) => {
  const [minQuery, maxQuery, setQuery] = [args.query('min'), args.query('max'), args.optionalQuery('set')];
  const set = setQuery && applied(setQuery);
  let last: bigint | undefined;
  let min = 0n;
  let max = 0n;
  return (frame) => {
    if (last === undefined) {
      min = getInt(minQuery.exec(frame));
      if (min < 0n) fail(`min argument must be >0, got ${min}`);
      max = getInt(maxQuery.exec(frame));
      if (max < 0n || max <= min) fail(`max argument must be >0 and >min, got ${max}`);
      last = min - 1n;
    }
    if (set !== undefined) {
      const value = setQuery!.exec(frame);
      if (value === null) return intValue(last);
      if (value === deletedValue) last = min - 1n;
      else if (value !== nothingValue) {
        last = getInt(value);
        return intValue(last);
      }
    }
    const next = last + 1n;
    last = next >= max ? min - 1n : next;
    return intValue(next);
  };
};

function vector(value: Value): number[] {
  if (!Array.isArray(value)) return fail('vector must be an array of numeric types');
  return value.map((element) => {
    try {
      return getFloat(element);
    } catch {
      return fail('vector must be an array of numeric types');
    }
  });
}

function cosine(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) fail('vectors must be equal length');
  if (one.length === 0) fail('vectors cannot be empty');
  let [product, left, right] = [0, 0, 0];
  one.forEach((value, index) => {
    product += value * other[index]!;
    left += value * value;
    right += other[index]! * other[index]!;
  });
  if (left === 0 || right === 0) fail('vectors must not be null (all zeros)');
  return product / (Math.sqrt(left) * Math.sqrt(right));
}

export const generalFunctions: readonly FunctionSpec[] = [
  {
    name: 'deleted',
    category,
    doc: 'Removes the target of the assignment, the element, or the message.',
    params: [],
    literal: deletedValue,
    make: () => () => deletedValue,
  },
  {
    name: 'nothing',
    category,
    doc: 'Skips the assignment.',
    status: 'hidden',
    params: [],
    literal: nothingValue,
    make: () => () => nothingValue,
  },
  {
    name: 'throw',
    category,
    doc: 'Fails with a message.',
    params: [param.string('why')],
    make: (args) => {
      const why = args.string('why');
      return () => fail(why);
    },
  },
  {
    name: 'var',
    category,
    doc: 'Yields a variable by its name.',
    status: 'hidden',
    params: [{ ...param.string('name'), isStatic: true }],
    make: (args) => () => fail(`variable '${args.string('name')}' undefined`),
  },
  {
    name: 'range',
    category,
    doc: 'Yields an array of integers from a start to before a stop, by steps.',
    params: [param.integer('start'), param.integer('stop'), withDefault(param.integer('step'), 1)],
    make: range,
  },
  { name: 'pi', category, doc: 'Yields the number pi.', params: [], make: () => () => Math.PI },
  {
    name: 'cosine_similarity',
    category,
    doc: 'Yields the cosine of the angle between two vectors.',
    params: [param.any('a'), param.any('b')],
    make: (args) => {
      const [one, other] = [args.any('a'), args.any('b')];
      return () => floatValue(cosine(vector(one), vector(other)));
    },
  },
  {
    name: 'random_int',
    category,
    doc: 'Yields a random integer within bounds, from a seed.',
    needs: 'chance',
    params: [
      withDefault(param.queryOrValue('seed'), 0),
      { ...withDefault(param.integer('min'), 0), isStatic: true },
      { ...withDefault(param.integer('max'), int64.max - 1n), isStatic: true },
    ],
    make: randomInt,
  },
  {
    name: 'counter',
    category,
    doc: 'Yields the next integer each time; a query can set it.',
    status: 'experimental',
    needs: 'chance',
    params: [
      withDefault(param.queryOrValue('min'), 1),
      withDefault(param.queryOrValue('max'), int64.max),
      optional(param.query('set')),
    ],
    make: counter,
  },
  {
    name: 'count',
    category: 'deprecated',
    doc: 'Yields the next integer of a counter that all mappings share by its name.',
    status: 'deprecated',
    needs: 'chance',
    params: [param.string('name')],
    make: (args) => {
      const name = args.string('name');
      return ({ run: { ports } }) => {
        const next = (ports.counters.get(name) ?? 0) + 1;
        ports.counters.set(name, next);
        return next;
      };
    },
  },
];
