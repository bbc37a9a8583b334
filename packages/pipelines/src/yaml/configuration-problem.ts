import type { TextPlace } from './yaml-value.ts';

/** A problem of a configuration, with its position. */
export interface ConfigurationProblem {
  readonly place: TextPlace;
  /** The rule, or a suggestion. Values are not repeated, because one of them may be a secret. */
  readonly message: string;
}
