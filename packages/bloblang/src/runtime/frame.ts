import type { Owned } from '../values/path.ts';
import { nothingValue, type Value } from '../values/value.ts';
import type { Run } from './run.ts';

/** The value of `this` before the message has been parsed. */
export const unparsed = Symbol('unparsed');

/** What expressions see: the values of the mapping or of the map that runs. */
export class Frame {
  readonly run: Run;
  /** What `this` is. */
  value: Value | typeof unparsed;
  /** What `this` is outside of the query that runs for an element: what it is again in the body of a lambda. */
  outer: Value | typeof unparsed;
  /** Values of variables by their place. */
  readonly variables: (Value | undefined)[];
  /** Values of the parameters of lambdas by their depth. */
  readonly named: Value[] = [];
  /** What has been assigned so far. */
  root: Value = nothingValue;
  /** Parts of the root that only the root refers to. */
  owned: Owned | undefined;
  readonly depth: number;
  /** The message of the batch that `content`, `json` and the like refer to. */
  index: number;

  constructor(run: Run, value: Value | typeof unparsed, depth: number, index: number) {
    this.run = run;
    this.value = value;
    this.outer = value;
    this.depth = depth;
    this.index = index;
    this.variables = [];
  }

  /** The value of `this`; a message is parsed on first use. */
  current(field: string | undefined): Value {
    const { value } = this;
    return value === unparsed ? this.run.document(field) : value;
  }

  /** The root, to be read: from now on others may refer to its parts. */
  readRoot(): Value {
    this.owned = undefined;
    return this.root;
  }
}
