import { nearestName } from '@weir/core';
import { getBool, getFloat, getInt, getTimestamp } from '../go/coerce.ts';
import { Args } from '../runtime/args.ts';
import type { Frame } from '../runtime/frame.ts';
import type { Query } from '../runtime/query.ts';
import type { Parameter, Parameters } from '../runtime/spec.ts';
import { fail, MappingError, prefixed } from '../values/mapping-error.ts';
import { Bytes, typeOf, type Value } from '../values/value.ts';

/** An argument as it was written. */
interface GivenArgument {
  readonly name: string | undefined;
  readonly query: Query;
}

/** Arguments that are known, or those that depend on the message. */
type BoundArgs = { readonly known: Args } | { readonly resolve: (frame: Frame) => Args };

type Slot = { readonly value: Value | Query } | { readonly parameter: Parameter; readonly query: Query };

/** Checks arguments against parameters. Throws a `MappingError` that says what does not fit. */
export function boundArgs(params: Parameters, given: readonly GivenArgument[]): BoundArgs {
  const named = given.filter(({ name }) => name !== undefined);
  if (named.length > 0 && named.length < given.length) fail('cannot mix named and nameless arguments');
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name!)) fail(`duplicate named arg: ${name}`);
    seen.add(name!);
  }
  if (params === 'variadic') {
    if (named.length > 0) fail('named arguments are not supported');
    return boundList(given.map(({ query }) => query));
  }
  const queries = named.length > 0 ? byName(params, named) : byPosition(params, given);
  const slots = new Map<string, Slot>();
  const missing: string[] = [];
  params.forEach((parameter, index) => {
    const query = queries[index];
    if (query !== undefined) slots.set(parameter.name, slotOf(parameter, query));
    else if (parameter.default !== undefined)
      slots.set(parameter.name, { value: defaultOf(parameter, parameter.default) });
    else if (!parameter.isOptional) missing.push(parameter.name);
  });
  if (missing.length > 0) fail(`missing parameter${missing.length > 1 ? 's' : ''}: ${missing.join(', ')}`);
  return boundSlots(slots);
}

function byPosition(params: readonly Parameter[], given: readonly GivenArgument[]): (Query | undefined)[] {
  if (given.length > params.length)
    fail(`wrong number of arguments, expected ${params.length}, got ${given.length}`);
  return given.map(({ query }) => query);
}

function byName(params: readonly Parameter[], named: readonly GivenArgument[]): (Query | undefined)[] {
  const names = params.map(({ name }) => name);
  for (const { name } of named) {
    if (names.includes(name!)) continue;
    const near = nearestName(name!, names) ?? (names.length === 1 ? names[0] : undefined);
    const hint =
      near === undefined
        ? names.length === 0
          ? ', there are none'
          : `, expected ${names.join(', ')}`
        : `, did you mean ${near}?`;
    fail(`unknown parameter ${name}${hint}`);
  }
  return names.map((name) => named.find((argument) => argument.name === name)?.query);
}

function slotOf(parameter: Parameter, query: Query): Slot {
  if (parameter.type === 'query expression') return { value: query as unknown as Value };
  if (query.literal === undefined) {
    if (parameter.isStatic) fail(`param ${parameter.name} must not be dynamic`);
    return { parameter, query };
  }
  try {
    return { value: converted(parameter, query.literal.value) };
  } catch (error) {
    throw prefixed(error, `field ${parameter.name}`);
  }
}

function defaultOf(parameter: Parameter, value: Value): Value | Query {
  if (parameter.type !== 'query expression') return converted(parameter, value);
  return { annotation: `${typeOf(value)} literal`, exec: () => value, literal: { value } };
}

/** The argument as the type of its parameter. Integers are bigints, floats plain numbers. */
function converted({ type, isBinary }: Parameter, value: Value): Value {
  if (isBinary && value instanceof Bytes) return value;
  if (isBinary && typeof value === 'string') return new Bytes(Buffer.from(value, 'utf8'));
  switch (type) {
    case 'any':
      return value;
    case 'integer':
      return getInt(value);
    case 'float':
      return getFloat(value);
    case 'bool':
      return getBool(value);
    case 'timestamp':
      return getTimestamp(value);
    case 'string':
      if (typeof value === 'string') return value;
      if (value instanceof Bytes) return value.buffer.toString('utf8');
      break;
    case 'array':
      if (Array.isArray(value)) return value;
  }
  return fail(`wrong argument type, expected ${type}, got ${typeOf(value)}`);
}

function boundList(queries: readonly Query[]): BoundArgs {
  const none = new Map<string, Value | Query>();
  if (queries.every(({ literal }) => literal !== undefined))
    return {
      known: new Args(
        none,
        queries.map(({ literal }) => literal!.value),
      ),
    };
  return {
    resolve: (frame) =>
      new Args(
        none,
        queries.map(({ exec }, index) => extracted(String(index), () => exec(frame))),
      ),
  };
}

function boundSlots(slots: ReadonlyMap<string, Slot>): BoundArgs {
  const known = new Map<string, Value | Query>();
  const open: { readonly parameter: Parameter; readonly query: Query }[] = [];
  for (const [name, slot] of slots) {
    if ('query' in slot) open.push(slot);
    else known.set(name, slot.value);
  }
  if (open.length === 0) return { known: new Args(known, []) };
  return {
    resolve: (frame) => {
      const values = new Map(known);
      for (const { parameter, query } of open)
        values.set(
          parameter.name,
          extracted(parameter.name, () => converted(parameter, query.exec(frame))),
        );
      return new Args(values, []);
    },
  };
}

function extracted(name: string, resolve: () => Value): Value {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof MappingError) throw prefixed(error, `failed to extract input arg '${name}'`);
    throw error;
  }
}
