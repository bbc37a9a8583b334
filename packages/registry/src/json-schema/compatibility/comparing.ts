import type { DifferenceType } from './difference-types.ts';
import type { LazyShape } from './shape.ts';

/** The comparison of two schemas takes more work than is allowed. */
export class ComparisonTooLarge extends Error {
  override name = 'ComparisonTooLarge';
}

/** What comparing two shapes needs: their subschemas are compared by it, in whatever order. */
export interface Comparing {
  /** Adds a difference at a place below the shapes. */
  add(type: DifferenceType, path?: string): void;
  /** Adds the differences of two subschemas. */
  include(original: LazyShape, update: LazyShape, path?: string): void;
  /** Whether data of the one subschema passes the other, as far as known; never becomes true again. */
  isCompatible(original: LazyShape, update: LazyShape): boolean;
  /** Counts work that is not a comparison. */
  work(steps: number): void;
}
