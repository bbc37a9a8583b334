import { toBool, toBytes, toFloat, toText } from '../go/coerce.ts';
import { applied, type Query, recovering } from '../runtime/query.ts';
import { type MethodSpec, optional, param } from '../runtime/spec.ts';
import { fail, placed, wrongType } from '../values/mapping-error.ts';
import { floatValue } from '../values/numbers.ts';
import { Bytes, isAbsent, isObject, typeOf, type Value } from '../values/value.ts';

const category = 'general';
const coercion = 'type coercion';

/** Converts, or yields a default if that or the target fails. */
function converting<Result extends Value>(
  name: string,
  target: Query,
  fallback: Result | undefined,
  convert: (value: Value) => Result,
): Query {
  const exec = (frame: Parameters<Query['exec']>[0]): Value => {
    const value = target.exec(frame);
    try {
      return convert(value);
    } catch (error) {
      throw placed(error, target.annotation);
    }
  };
  return {
    annotation: `method ${name}`,
    exec: fallback === undefined ? exec : recovering(exec, () => fallback),
  };
}

export const generalMethods: readonly MethodSpec[] = [
  {
    name: 'apply',
    category,
    doc: 'Runs a map of the mapping, by its name, with the value as `this`.',
    params: [param.string('mapping')],
    build(target, args) {
      const name = args.string('mapping');
      return {
        annotation: `map ${name}`,
        exec(frame) {
          const value = target.exec(frame);
          const map = frame.run.maps.get(name) ?? fail(`map ${name} was not found`);
          frame.run.budget.step();
          return map(value, frame.run, frame.depth + 1, frame.index);
        },
      };
    },
  },
  {
    name: 'catch',
    category,
    doc: 'Yields the argument if the value cannot be computed. In a query, the message of the error is `this`.',
    params: [param.queryOrValue('fallback')],
    build(target, args) {
      const fallback = applied(args.query('fallback'));
      return {
        annotation: 'method catch',
        exec: recovering(target.exec, (frame, error) => fallback(frame, error.message)),
      };
    },
  },
  {
    name: 'or',
    category,
    doc: 'Yields the argument if the value cannot be computed, or is null.',
    params: [param.queryOrValue('fallback')],
    build(target, args) {
      const fallback = args.query('fallback').exec;
      const exec = recovering(
        (frame) => {
          const value = target.exec(frame);
          return isAbsent(value) ? fallback(frame) : value;
        },
        (frame) => fallback(frame),
      );
      return { annotation: 'method or', exec };
    },
  },
  {
    name: 'map',
    category,
    doc: 'Runs a query with the value as `this`.',
    status: 'hidden',
    params: [param.query('query')],
    build(target, args) {
      const query = args.query('query');
      const run = applied(query);
      return { annotation: query.annotation, exec: (frame) => run(frame, target.exec(frame)) };
    },
  },
  {
    name: 'not',
    category,
    doc: 'Negates a boolean.',
    status: 'hidden',
    params: [],
    make: () => (value) => {
      if (typeof value !== 'boolean') throw wrongType(value, 'bool');
      return !value;
    },
  },
  {
    name: 'from',
    category,
    doc: 'Runs the target for another message of the batch; for `content`, `json`, `metadata` and the like.',
    params: [param.integer('index')],
    needs: 'message',
    build(target, args) {
      const index = args.integer('index');
      return {
        annotation: `${target.annotation} from ${index}`,
        exec(frame) {
          const { index: before } = frame;
          frame.index = index;
          const value = target.exec(frame);
          frame.index = before;
          return value;
        },
      };
    },
  },
  {
    name: 'from_all',
    category,
    doc: 'Runs the target for every message of the batch, and yields an array of the results.',
    params: [],
    needs: 'message',
    build: (target) => ({
      annotation: 'method from_all',
      exec(frame) {
        const { index: before } = frame;
        frame.run.budget.step(frame.run.batch.length);
        const values = frame.run.batch.map((_message, index) => {
          frame.index = index;
          return target.exec(frame);
        });
        frame.index = before;
        return values;
      },
    }),
  },
  {
    name: 'array',
    category: coercion,
    doc: 'Yields an array with the value, unless it is an array.',
    params: [],
    make: () => (value) => (Array.isArray(value) ? value : [value]),
  },
  {
    name: 'bool',
    category: coercion,
    doc: 'Reads a boolean from a text or a number; yields the argument, if there is one, where that fails.',
    params: [optional(param.bool('default'))],
    build: (target, args) => converting('bool', target, args.optionalBool('default'), toBool),
  },
  {
    name: 'number',
    category: coercion,
    doc: 'Reads a number from a text; yields the argument, if there is one, where that fails.',
    params: [optional(param.float('default'))],
    build(target, args) {
      const fallback = args.optionalFloat('default');
      return converting<Value>(
        'number',
        target,
        fallback === undefined ? undefined : floatValue(fallback),
        (value) => floatValue(toFloat(value)),
      );
    },
  },
  {
    name: 'string',
    category: coercion,
    doc: 'Yields the value as a text; arrays and objects as JSON.',
    params: [],
    make: () => (value, frame) => {
      if (typeof value === 'string') return value;
      const text = toText(value);
      frame.run.budget.build(text.length);
      frame.run.budget.step(text.length >>> 3);
      return text;
    },
  },
  {
    name: 'bytes',
    category: coercion,
    doc: 'Yields the value as a byte array; arrays and objects as JSON.',
    params: [],
    make: () => (value, frame) => {
      if (value instanceof Bytes) return value;
      const bytes = toBytes(value);
      frame.run.budget.build(bytes.length);
      frame.run.budget.step(bytes.length >>> 3);
      return new Bytes(bytes);
    },
  },
  {
    name: 'type',
    category: coercion,
    doc: 'Yields the type of the value: string, bytes, number, bool, timestamp, array, object or null.',
    params: [],
    make: () => (value) => typeOf(value),
  },
  {
    name: 'not_null',
    category: coercion,
    doc: 'Fails if the value is null, and yields it otherwise.',
    params: [],
    make: () => (value) => (value === null ? fail('value is null') : value),
  },
  {
    name: 'not_empty',
    category: coercion,
    doc: 'Fails if a string, array or object is empty, and yields it otherwise.',
    params: [],
    make: () => (value) => {
      if (value === '') fail('string value is empty');
      if (Array.isArray(value)) return value.length === 0 ? fail('array value is empty') : value;
      if (isObject(value)) return Object.keys(value).length === 0 ? fail('object value is empty') : value;
      if (typeof value !== 'string') throw wrongType(value, 'string', 'array', 'object');
      return value;
    },
  },
];
