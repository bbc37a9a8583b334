import { LimitError, MappingError } from '../values/mapping-error.ts';
import type { Value } from '../values/value.ts';
import type { Frame } from './frame.ts';

export type Exec = (frame: Frame) => Value;

/** A compiled expression. */
export interface Query {
  /** What messages call it, such as "field `this.a`". */
  readonly annotation: string;
  readonly exec: Exec;
  /** The value of an expression that is always the same. */
  readonly literal?: { readonly value: Value };
  /** A lambda: where its parameter is kept, or -1 if it has none, and its body. */
  readonly lambda?: { readonly slot: number; readonly body: Query };
  /** The path of fields from `this`, `root`, or a parameter. */
  readonly path?: { readonly from: Exec; readonly name: string; readonly segments: readonly string[] };
}

/** Runs a query for an element: the element is `this`, or the parameter of a lambda. */
type Applied = (frame: Frame, value: Value) => Value;

export function applied(query: Query): Applied {
  const { lambda, exec } = query;
  if (lambda) {
    const { slot, body } = lambda;
    if (slot < 0) return (frame) => body.exec(frame);
    const run = body.exec;
    return (frame, value) => {
      frame.named[slot] = value;
      return run(frame);
    };
  }
  return (frame, value) => {
    const { value: before, outer } = frame;
    frame.outer = before;
    frame.value = value;
    const result = exec(frame);
    frame.value = before;
    frame.outer = outer;
    return result;
  };
}

/** Runs a query; if it fails, undoes what it did to the frame and runs `recover`. */
export function recovering(exec: Exec, recover: (frame: Frame, error: MappingError) => Value): Exec {
  return (frame) => {
    const { value, outer, index } = frame;
    try {
      return exec(frame);
    } catch (error) {
      const failure = catchable(error);
      frame.value = value;
      frame.outer = outer;
      frame.index = index;
      return recover(frame, failure);
    }
  };
}

/** The error as one that a mapping may catch; others are thrown on. */
export function catchable(error: unknown): MappingError {
  if (error instanceof MappingError) return error;
  // The stack of the runtime, not of the mapping.
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return MappingError.of('exceeded maximum allowed stacks, this could be due to unbounded recursion');
  // A text, an array or an integer that the runtime cannot hold.
  if (error instanceof RangeError)
    throw new LimitError('the mapping built a value that is too large; make it smaller');
  throw error;
}
