import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';

/** How values violate a rule. */
export interface Violation {
  /** The flags that violate the rule together, or the one that is missing. */
  readonly flags: readonly FlagName[];
  /** The rule, as the end of a sentence that starts with the flags and their values. */
  readonly rule: string;
  /** Whether a value is invalid or missing. */
  readonly kind: 'forbidden' | 'missing';
}

/** A rule over more than one flag. */
export interface Rule {
  /** One or two sentences for help and for the reference page. */
  readonly statement: string;
  readonly flags: readonly FlagName[];
  readonly commands: readonly CommandName[];
  /** Absent if the rule only chooses between values and rejects none. */
  readonly check?: (values: FlagValues, command: CommandName) => Violation | undefined;
}

export function forbidden(flags: readonly FlagName[], rule: string): { readonly problem: Violation } {
  return { problem: { flags, rule, kind: 'forbidden' } };
}

export function missing(flags: readonly FlagName[], rule: string): { readonly problem: Violation } {
  return { problem: { flags, rule, kind: 'missing' } };
}
