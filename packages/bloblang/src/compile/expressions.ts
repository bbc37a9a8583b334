import { nearestName } from '@weir/core';
import type { Frame } from '../runtime/frame.ts';
import { fieldQuery, namedQuery, rootQuery, thisQuery } from '../runtime/paths.ts';
import { applied, type Exec, type Query } from '../runtime/query.ts';
import type { FunctionSpec, MethodSpec } from '../runtime/spec.ts';
import type { Argument, Expression, ObjectField } from '../syntax/ast.ts';
import { BloblangError } from '../syntax/syntax-error.ts';
import { unavailableFunctions, unavailableMethods } from '../unavailable.ts';
import { isEqual } from '../values/compare.ts';
import { fail, MappingError, placed, prefixed, wrongType } from '../values/mapping-error.ts';
import { floatValue } from '../values/numbers.ts';
import { setField } from '../values/path.ts';
import { Bytes, nothingValue, Sentinel, typeOf, type Value, type ValueObject } from '../values/value.ts';
import { boundArgs } from './arguments.ts';
import { arithmetic, negated } from './arithmetic.ts';
import { bracketIndex, bracketSlice } from './brackets.ts';
import type { Environment } from './environment.ts';
import type { Scope } from './scope.ts';

/** A text whose expressions are compiled. */
export interface Source {
  readonly text: string;
  readonly file: string | undefined;
}

/** Compiles expressions to closures, and checks them on the way. */
export class ExpressionCompiler {
  readonly #environment: Environment;
  readonly #source: Source;

  constructor(environment: Environment, source: Source) {
    this.#environment = environment;
    this.#source = source;
  }

  errorAt(at: number, message: string): BloblangError {
    return new BloblangError(this.#source.text, at, message, this.#source.file);
  }

  /** What cannot be done with literals or arguments is an error of the mapping. */
  #checked<Result>(at: number, build: () => Result): Result {
    try {
      return build();
    } catch (error) {
      if (error instanceof MappingError) throw this.errorAt(at, error.message);
      throw error;
    }
  }

  compile(expression: Expression, scope: Scope): Query {
    switch (expression.kind) {
      case 'literal': {
        const { value, isFloat } = expression;
        return literal(isFloat ? floatValue(value as number) : value);
      }
      case 'name':
        return nameQuery(expression.name, scope);
      case 'variable':
        return variableQuery(expression.name, scope);
      case 'metadata':
        return metadataQuery(expression.key);
      case 'array':
        return arrayQuery(expression.items.map((item) => this.compile(item, scope)));
      case 'object':
        return this.#object(expression.at, expression.fields, scope);
      case 'call':
        return this.#call(expression.at, expression.name, expression.args, scope);
      case 'method':
        return this.#method(expression.at, this.compile(expression.target, scope), expression, scope);
      case 'get':
        return fieldQuery(this.compile(expression.target, scope), expression.path);
      case 'with':
        return withQuery(this.compile(expression.target, scope), this.compile(expression.body, scope));
      case 'index':
        return bracketIndex(this.compile(expression.target, scope), this.compile(expression.index, scope));
      case 'slice': {
        const bound = (part: Expression | undefined) => part && this.compile(part, scope);
        const { start, end, step } = expression;
        return bracketSlice(this.compile(expression.target, scope), bound(start), bound(end), bound(step));
      }
      case 'not':
        return notQuery(this.compile(expression.operand, scope));
      case 'negate':
        return this.#checked(expression.at, () => negated(this.compile(expression.operand, scope)));
      case 'arithmetic': {
        const operands = expression.operands.map((operand) => this.compile(operand, scope));
        return this.#checked(expression.at, () => arithmetic(operands, expression.operators));
      }
      case 'if': {
        const branches = expression.branches.map(({ condition, body }) => ({
          condition: this.compile(condition, scope),
          body: this.compile(body, scope),
        }));
        return ifQuery(branches, expression.otherwise && this.compile(expression.otherwise, scope));
      }
      case 'match': {
        const subject = expression.subject && this.compile(expression.subject, scope);
        const cases = expression.cases.map(({ pattern, body }) => ({
          pattern: pattern && this.compile(pattern, scope),
          body: this.compile(body, scope),
        }));
        return matchQuery(subject, cases);
      }
      case 'lambda':
        return this.#lambda(expression.at, expression.name, expression.body, scope);
    }
  }

  #lambda(at: number, name: string, body: Expression, scope: Scope): Query {
    if (name === 'this' || name === 'root')
      throw this.errorAt(at, `context label \`${name}\` is not allowed`);
    if (scope.parameters.includes(name))
      throw this.errorAt(at, `context label \`${name}\` would shadow a parent context`);
    const isIgnored = name === '_';
    const slot = isIgnored ? -1 : scope.parameters.length;
    const inner = this.compile(body, isIgnored ? scope : scope.withParameter(name));
    if (inner.lambda)
      throw this.errorAt(
        at,
        `the same context cannot be captured twice; remove the label \`${name}\` or the one after it`,
      );
    const run = inner.exec;
    return {
      annotation: inner.annotation,
      lambda: { slot, body: inner },
      exec: (frame) => {
        const { value, outer } = frame;
        if (slot >= 0) frame.named[slot] = frame.current(undefined);
        frame.value = outer;
        const result = run(frame);
        frame.value = value;
        frame.outer = outer;
        return result;
      },
    };
  }

  #object(at: number, fields: readonly ObjectField[], scope: Scope): Query {
    const compiled = fields.map(({ key, value }) => {
      const keyQuery = typeof key === 'string' ? literal(key) : this.compile(key, scope);
      if (keyQuery.literal && typeof keyQuery.literal.value !== 'string')
        throw this.errorAt(at, `object keys must be strings, received: ${typeOf(keyQuery.literal.value)}`);
      return { key: keyQuery, value: this.compile(value, scope) };
    });
    return objectQuery(compiled);
  }

  #args(args: readonly Argument[], scope: Scope) {
    return args.map(({ name, value }) => ({ name, query: this.compile(value, scope) }));
  }

  #call(at: number, name: string, args: readonly Argument[], scope: Scope): Query {
    const spec = this.#environment.functions.get(name);
    if (!spec) throw this.errorAt(at, this.#unknown('function', name));
    const given = this.#args(args, scope);
    return this.#checked(at, () => functionQuery(spec, boundArgs(spec.params, given), scope));
  }

  #method(
    at: number,
    target: Query,
    { name, args }: { readonly name: string; readonly args: readonly Argument[] },
    scope: Scope,
  ): Query {
    const spec = this.#environment.methods.get(name);
    if (!spec) throw this.errorAt(at, this.#unknown('method', name));
    const given = this.#args(args, scope);
    return this.#checked(at, () => methodQuery(spec, target, boundArgs(spec.params, given)));
  }

  #unknown(kind: 'function' | 'method', name: string): string {
    const isFunction = kind === 'function';
    const reasons = isFunction ? unavailableFunctions : unavailableMethods;
    if (Object.hasOwn(reasons, name)) return `the ${kind} '${name}' is not available: ${reasons[name]}`;
    const { functions, methods } = this.#environment;
    const near = nearestName(name, (isFunction ? functions : methods).keys());
    return `unrecognised ${kind} '${name}'${near === undefined ? '' : `; did you mean ${near}?`}`;
  }
}

function literal(value: Value): Query {
  return { annotation: `${typeOf(value)} literal`, exec: () => value, literal: { value } };
}

function nameQuery(name: string, scope: Scope): Query {
  if (name === 'this') return thisQuery();
  if (name === 'root') return rootQuery();
  const slot = scope.parameters.indexOf(name);
  return slot >= 0 ? namedQuery(name, slot) : fieldQuery(thisQuery(), name);
}

function variableQuery(name: string, scope: Scope): Query {
  const slot = scope.variable(name);
  return {
    annotation: `variable ${name}`,
    exec: (frame) => frame.variables[slot] ?? undefinedVariable(frame, slot, name),
  };
}

function undefinedVariable(frame: Frame, slot: number, name: string): Value {
  return frame.variables[slot] === null ? null : fail(`variable '${name}' undefined`);
}

function metadataQuery(key: string | undefined): Query {
  if (key === undefined || key === '')
    return {
      annotation: 'meta object',
      exec: ({ run }) => Object.fromEntries(run.currentMetadata()) as ValueObject,
    };
  return { annotation: `meta field ${key}`, exec: ({ run }) => run.currentMetadata().get(key) ?? null };
}

const isSkipped = (value: Value): boolean => value instanceof Sentinel;

function arrayQuery(items: readonly Query[]): Query {
  if (items.every((item) => item.literal)) {
    const values = items.map((item) => item.literal!.value).filter((value) => !isSkipped(value));
    return literal(values);
  }
  const execs = items.map(({ exec }) => exec);
  return {
    annotation: 'array literal',
    exec(frame) {
      const values: Value[] = [];
      for (let index = 0; index < execs.length; index++) {
        const value = execs[index]!(frame);
        if (!isSkipped(value)) values.push(value);
      }
      return values;
    },
  };
}

function objectQuery(fields: readonly { readonly key: Query; readonly value: Query }[]): Query {
  if (fields.every(({ key, value }) => key.literal && value.literal)) {
    const object: ValueObject = {};
    for (const { key, value } of fields)
      if (!isSkipped(value.literal!.value))
        setField(object, key.literal!.value as string, value.literal!.value);
    return literal(object);
  }
  return {
    annotation: 'object literal',
    exec(frame) {
      const object: ValueObject = {};
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index]!;
        const key = field.key.literal ? (field.key.literal.value as string) : keyOf(field.key, frame);
        const value = field.value.literal ? field.value.literal.value : fieldValue(field.value, key, frame);
        if (!isSkipped(value)) setField(object, key, value);
      }
      return object;
    },
  };
}

function keyOf(query: Query, frame: Frame): string {
  let key: Value;
  try {
    key = query.exec(frame);
  } catch (error) {
    throw prefixed(error, 'failed to resolve key');
  }
  if (typeof key === 'string') return key;
  if (key instanceof Bytes) return key.buffer.toString('utf8');
  return fail(`mapping returned invalid key type: ${typeOf(key)}`);
}

function fieldValue(query: Query, key: string, frame: Frame): Value {
  try {
    return query.exec(frame);
  } catch (error) {
    throw prefixed(error, `failed to resolve '${key}' value`);
  }
}

function withQuery(target: Query, body: Query): Query {
  const run = applied(body);
  return { annotation: body.annotation, exec: (frame) => run(frame, target.exec(frame)) };
}

function notQuery(operand: Query): Query {
  return {
    annotation: `not ${operand.annotation}`,
    exec(frame) {
      const value = operand.exec(frame);
      if (typeof value !== 'boolean') throw placed(wrongType(value, 'bool'), operand.annotation);
      return !value;
    },
  };
}

interface Branch {
  readonly condition: Query;
  readonly body: Query;
}

function ifQuery(branches: readonly Branch[], otherwise: Query | undefined): Query {
  return {
    annotation: 'if expression',
    exec(frame) {
      for (let index = 0; index < branches.length; index++) {
        const branch = branches[index]!;
        if (isTrue(branch.condition, frame, index)) return branch.body.exec(frame);
      }
      return otherwise === undefined ? nothingValue : otherwise.exec(frame);
    },
  };
}

function isTrue(condition: Query, frame: Frame, index: number): boolean {
  let value: Value;
  try {
    value = condition.exec(frame);
  } catch (error) {
    throw prefixed(error, `failed to check if condition${index === 0 ? '' : ` ${index + 1}`}`);
  }
  if (typeof value === 'boolean') return value;
  // As an expression, `if` takes null for false.
  if (value === null) return false;
  return fail(`${condition.annotation} resolved to a non-boolean value (${typeOf(value)})`);
}

interface Case {
  readonly pattern: Query | undefined;
  readonly body: Query;
}

function matchQuery(subject: Query | undefined, cases: readonly Case[]): Query {
  const compiled = cases.map(({ pattern, body }, index) => ({
    matches: pattern && matcher(pattern, index),
    body: applied(body),
  }));
  return {
    annotation: 'match expression',
    exec(frame) {
      const value = subject === undefined ? frame.current(undefined) : subject.exec(frame);
      for (let index = 0; index < compiled.length; index++) {
        const { matches, body } = compiled[index]!;
        if (matches === undefined || matches(frame, value)) return body(frame, value);
      }
      return nothingValue;
    },
  };
}

/** A literal is compared; another pattern must be true. */
function matcher(pattern: Query, index: number): (frame: Frame, value: Value) => boolean {
  if (pattern.literal) {
    const { value: wanted } = pattern.literal;
    return (frame, value) => isEqual(value, wanted, frame.run.budget);
  }
  const run = applied(pattern);
  return (frame, value) => {
    try {
      return run(frame, value) === true;
    } catch (error) {
      throw prefixed(error, `failed to check match case ${index}`);
    }
  };
}

function functionQuery(spec: FunctionSpec, args: ReturnType<typeof boundArgs>, scope: Scope): Query {
  const annotation = `function ${spec.name}`;
  if (spec.literal !== undefined) {
    const value = spec.literal;
    return {
      annotation: spec.name === 'deleted' ? 'delete' : spec.name,
      exec: () => value,
      literal: { value },
    };
  }
  if (spec.name === 'var' && 'known' in args) return variableQuery(args.known.string('name'), scope);
  if ('known' in args) return { annotation, exec: spec.make(args.known) };
  const { resolve } = args;
  return { annotation, exec: (frame) => spec.make(named(frame, resolve, `function '${spec.name}'`))(frame) };
}

function named<Result>(frame: Frame, resolve: (frame: Frame) => Result, what: string): Result {
  try {
    return resolve(frame);
  } catch (error) {
    throw prefixed(error, what);
  }
}

/** Methods that are folded look at their value only. */
const noFrame = undefined as unknown as Frame;

function methodQuery(spec: MethodSpec, target: Query, args: ReturnType<typeof boundArgs>): Query {
  const annotation = `method ${spec.name}`;
  if ('known' in args) {
    if (spec.build) return spec.build(target, args.known);
    if (spec.isFolded && target.literal) {
      const value = spec.make!(args.known)(target.literal.value, noFrame);
      return { annotation, exec: () => value, literal: { value } };
    }
    return { annotation, exec: methodExec(target, spec.make!(args.known)) };
  }
  const { resolve } = args;
  return {
    annotation,
    exec(frame) {
      const resolved = named(frame, resolve, `method '${spec.name}'`);
      if (spec.build) return spec.build(target, resolved).exec(frame);
      return methodExec(target, spec.make!(resolved))(frame);
    },
  };
}

/** Steps that a method takes to look at its value. */
function workOf(value: Value): number {
  if (typeof value === 'string') return 1 + (value.length >>> 6);
  if (Array.isArray(value)) return 1 + (value.length >>> 4);
  return value instanceof Bytes ? 1 + (value.buffer.length >>> 6) : 1;
}

function methodExec(target: Query, body: (value: Value, frame: Frame) => Value): Exec {
  const { annotation, exec } = target;
  return (frame) => {
    const value = exec(frame);
    frame.run.budget.step(workOf(value));
    try {
      return body(value, frame);
    } catch (error) {
      throw placed(error, annotation);
    }
  };
}
