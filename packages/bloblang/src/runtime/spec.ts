import type { Value } from '../values/value.ts';
import type { Args } from './args.ts';
import type { Frame } from './frame.ts';
import type { Exec, Query } from './query.ts';

type ParameterType =
  | 'string'
  | 'integer'
  | 'float'
  | 'bool'
  | 'array'
  | 'timestamp'
  | 'any'
  | 'query expression';

export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly isOptional?: true;
  readonly default?: Value;
  /** The text is needed as bytes, such as a key. */
  readonly isBinary?: true;
  /** Its value must be in the mapping. */
  readonly isStatic?: true;
  /** A plain value stands for a query that has it. */
  readonly takesValues?: true;
}

/** `variadic`: any number of values, without names. */
export type Parameters = readonly Parameter[] | 'variadic';

/** What functions and methods have in common; documentation and completion derive from it. */
interface Spec {
  readonly name: string;
  readonly category: string;
  readonly doc: string;
  readonly params: Parameters;
  /** `hidden` names work but are not documented. */
  readonly status?: 'deprecated' | 'hidden' | 'experimental' | 'beta';
  /**
   * Why it is missing in environments: it depends on the machine, on the time, on chance or on other runs, or it reads
   * the message beside the document.
   */
  readonly needs?: 'environment' | 'chance' | 'message';
}

export interface FunctionSpec extends Spec {
  make(args: Args): Exec;
  /** A result that is the same for every run and may be folded. */
  readonly literal?: Value;
}

/** How a method runs on the value of its target. */
export type MethodBody = (value: Value, frame: Frame) => Value;

export interface MethodSpec extends Spec {
  /** With a literal as its target it runs once, and its error is an error of the mapping. */
  readonly isFolded?: true;
  /** Most methods need only the value of their target. */
  make?(args: Args): MethodBody;
  /** Others decide whether and when the target runs. */
  build?(target: Query, args: Args): Query;
}

export const param = {
  string: (name: string): Parameter => ({ name, type: 'string' }),
  binary: (name: string): Parameter => ({ name, type: 'string', isBinary: true }),
  integer: (name: string): Parameter => ({ name, type: 'integer' }),
  float: (name: string): Parameter => ({ name, type: 'float' }),
  bool: (name: string): Parameter => ({ name, type: 'bool' }),
  array: (name: string): Parameter => ({ name, type: 'array' }),
  timestamp: (name: string): Parameter => ({ name, type: 'timestamp' }),
  any: (name: string): Parameter => ({ name, type: 'any' }),
  query: (name: string): Parameter => ({ name, type: 'query expression' }),
  /** A query that may be written as a plain value. */
  queryOrValue: (name: string): Parameter => ({ name, type: 'query expression', takesValues: true }),
} as const;

export const optional = (parameter: Parameter): Parameter => ({ ...parameter, isOptional: true });
export const withDefault = (parameter: Parameter, value: Value): Parameter => ({
  ...parameter,
  default: value,
});
