import type { CommandName } from '../commands/catalogue.ts';
import type { ValueType } from '../values/value-type.ts';
import { environmentName } from './names.ts';

/** The definition of one setting. */
interface RowFields<Name extends string, Value, Command extends CommandName> {
  /** The flag without its dash. */
  readonly name: Name;
  /** The environment variable, where the contract deviates from the naming rule. */
  readonly env?: string;
  readonly type: ValueType<Value>;
  /** Defaults of single commands, where they differ. */
  readonly defaultByCommand?: { readonly [C in Command]?: NoInfer<Value> };
  /** A secret is never printed. */
  readonly secret?: true;
  readonly commands: readonly Command[];
  /** Equivalent spellings, each with its dash: the short form of a frequent flag. */
  readonly aliases?: readonly string[];
  /** Whether a list may be given in several flags, whose values are concatenated. */
  readonly isRepeatable?: true;
  /** Earlier spellings that still work, each as it is written: `-old` or `SERVICE_OLD`. */
  readonly deprecatedNames?: readonly string[];
  /** One sentence that says what the setting does. */
  readonly help: string;
  /** What else holds for the value, beyond its type and range. */
  readonly rule?: string;
}

interface DefaultField<Value> {
  readonly default: NoInfer<Value>;
}

interface NoDefaultField {
  readonly default?: undefined;
}

/** One setting of the catalogue. */
export interface FlagRow<
  Name extends string = string,
  Value = unknown,
  Command extends CommandName = CommandName,
  Default = unknown,
> extends Omit<RowFields<Name, Value, Command>, 'env' | 'defaultByCommand'> {
  readonly env: string;
  readonly default: Default;
  readonly defaultByCommand?: { readonly [C in CommandName]?: unknown };
  /** A planned flag is rejected when it is set, because its feature does not exist yet. */
  readonly status: 'available' | 'planned';
  /** Whether there is a flag besides the variable. Variables of other programs have none. */
  readonly hasFlag: boolean;
}

/** A flag whose feature does not exist yet. The change that adds the feature calls `available` instead. */
export function planned<const Name extends string, Value, const Command extends CommandName>(
  fields: RowFields<Name, Value, Command> & DefaultField<Value>,
): FlagRow<Name, Value, Command, Value>;
export function planned<const Name extends string, Value, const Command extends CommandName>(
  fields: RowFields<Name, Value, Command> & NoDefaultField,
): FlagRow<Name, Value, Command, undefined>;
export function planned(fields: RowFields<string, unknown, CommandName> & { default?: unknown }): FlagRow {
  return row(fields, 'planned');
}

/** A flag whose feature exists. */
export function available<const Name extends string, Value, const Command extends CommandName>(
  fields: RowFields<Name, Value, Command> & DefaultField<Value>,
): FlagRow<Name, Value, Command, Value>;
export function available<const Name extends string, Value, const Command extends CommandName>(
  fields: RowFields<Name, Value, Command> & NoDefaultField,
): FlagRow<Name, Value, Command, undefined>;
export function available(fields: RowFields<string, unknown, CommandName> & { default?: unknown }): FlagRow {
  return row(fields, 'available');
}

/**
 * A variable of another program or of the platform that weir reads too. It has no flag, and is never planned: rejecting
 * what was not set for weir would be wrong.
 */
export function foreignVariable<const Name extends string, Value, const Command extends CommandName>(
  fields: RowFields<Name, Value, Command> & NoDefaultField,
): FlagRow<Name, Value, Command, undefined>;
export function foreignVariable(fields: RowFields<string, unknown, CommandName>): FlagRow {
  return { ...row({ ...fields, env: fields.name }, 'available'), hasFlag: false };
}

function row(
  fields: RowFields<string, unknown, CommandName> & { default?: unknown },
  status: FlagRow['status'],
): FlagRow {
  return {
    ...fields,
    default: fields.default,
    env: fields.env ?? environmentName(fields.name),
    status,
    hasFlag: true,
  };
}
