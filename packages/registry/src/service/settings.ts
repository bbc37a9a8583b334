import type { RegistryMode } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { type ConfigFields, changeConfig } from './configs.ts';
import type { DecisionContext } from './decision-context.ts';
import { putMode } from './modes.ts';
import { refusals } from './refusals.ts';
import { isReadOnly, modeInScope } from './scopes.ts';

/** A change of a scope's config and mode together. */
interface SettingsChange {
  /** If absent, the config stays as it is. */
  readonly config: ConfigFields | undefined;
  /** If absent, the mode stays as it is. */
  readonly mode: { readonly mode: RegistryMode | undefined; readonly force: boolean } | undefined;
}

/** Decides on both. The config of a scope can be changed if the scope is writable before the change or after it. */
export function putSettings(
  context: DecisionContext,
  scope: string,
  { config, mode }: SettingsChange,
): { readonly changes: readonly RegistryChange[]; readonly reply: undefined } {
  const { state, defaults } = context;
  const modeChanges = mode === undefined ? [] : putMode(context, scope, mode.mode, mode.force);
  if (config === undefined) return { changes: modeChanges, reply: undefined };
  const modeAfter = (name: string) => (name === scope && mode !== undefined ? mode.mode : state.mode(name));
  const modes = [modeInScope(state, defaults, scope), modeInScope(state, defaults, scope, modeAfter)];
  if (modes.every(isReadOnly)) throw refusals.readOnly(scope);
  const { changes } = changeConfig(context, scope, config);
  return { changes: [...modeChanges, ...changes], reply: undefined };
}
