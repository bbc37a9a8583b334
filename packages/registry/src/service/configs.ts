import { compatibilityLevels } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type { ConfigAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { contextScope, globalContext } from '../state/qualified-subject.ts';
import { entryKeys, put, remove } from '../state/registry-entries.ts';
import { BodyReader, type JsonObject } from './body-reader.ts';
import type { DecisionContext } from './decision-context.ts';
import { refusals } from './refusals.ts';
import { readMetadata, readRuleSet } from './rule-bodies.ts';
import { checkWritable, configInScope } from './scopes.ts';

const reader: BodyReader = new BodyReader('invalidCompatibilityLevel');
const policies = ['STRICT', 'LENIENT', 'LOGICAL'] as const;

type ConfigField = keyof ConfigAnswer;
type Fields = JsonObject;
export type ConfigFields = Readonly<Partial<Record<ConfigField, unknown>>>;

/** How each field of a body is read. The level has another name in answers. */
const readers: Readonly<Record<ConfigField, (body: Fields) => unknown>> = {
  alias: (body) => readName(body, 'alias'),
  aliasForDeks: (body) => readName(body, 'aliasForDeks'),
  normalize: (body) => reader.boolean(body, 'normalize'),
  validateFields: (body) => reader.boolean(body, 'validateFields'),
  validateNewSchemas: (body) => reader.boolean(body, 'validateNewSchemas'),
  validateRules: (body) => reader.boolean(body, 'validateRules'),
  compatibilityLevel: readLevel,
  compatibilityPolicy: readPolicy,
  compatibilityGroup: (body) => readName(body, 'compatibilityGroup'),
  defaultMetadata: (body) => readMetadata(reader.field(body, 'defaultMetadata')),
  overrideMetadata: (body) => readMetadata(reader.field(body, 'overrideMetadata')),
  defaultRuleSet: (body) => readRuleSet(reader.field(body, 'defaultRuleSet')),
  overrideRuleSet: (body) => readRuleSet(reader.field(body, 'overrideRuleSet')),
};

/** The fields that a body sets. A field that is null is unset; one that is absent stays as it is. */
export function readConfigBody(body: unknown): ConfigFields {
  const object = reader.object(body);
  const entries = Object.entries(readers).filter(([field]) =>
    Object.hasOwn(object, bodyField(field as ConfigField)),
  );
  return Object.fromEntries(entries.map(([field, read]) => [field, read(object)]));
}

/** Decides on a change of a scope's config. The reply has the names of the body. */
export function putConfig(
  context: DecisionContext,
  scope: string,
  fields: ConfigFields,
): { readonly changes: readonly RegistryChange[]; readonly reply: JsonObject } {
  checkWritable(context.state, context.defaults, scope);
  return changeConfig(context, scope, fields);
}

/** The same, where the scope is known to be writable. */
export function changeConfig({ state }: DecisionContext, scope: string, fields: ConfigFields) {
  const config = withoutUndefined({ ...state.config(scope), ...fields }) as ConfigAnswer;
  const reply = Object.fromEntries(
    Object.entries(config).map(([field, value]) => [bodyField(field as ConfigField), value]),
  );
  return { changes: [put('config', entryKeys.config(scope), config)], reply };
}

export function getConfig(
  { state, defaults }: DecisionContext,
  scope: string,
  isInherited: boolean,
): ConfigAnswer {
  const own = state.config(scope);
  if (isInherited) return configInScope(state, defaults, scope);
  if (own === undefined && !isTopLevel(scope)) throw refusals.noConfig(scope);
  // The whole registry does not show what all contexts inherit, unless it is asked for.
  const inherited = isTopLevel(scope) ? undefined : configInScope(state, defaults, scope);
  const compatibilityLevel =
    own?.compatibilityLevel ?? inherited?.compatibilityLevel ?? defaults.compatibility;
  return { ...own, compatibilityLevel };
}

export function deleteConfig(
  context: DecisionContext,
  scope: string,
): { readonly changes: readonly RegistryChange[]; readonly reply: ConfigAnswer } {
  const { state, defaults } = context;
  const own = state.config(scope);
  if (own === undefined && !isTopLevel(scope)) throw refusals.subjectNotFound(scope);
  checkWritable(state, defaults, scope);
  return {
    changes: own === undefined ? [] : [remove(entryKeys.config(scope))],
    reply: getConfig(context, scope, false),
  };
}

/** Scopes that have the defaults of the server if nothing was set. */
export function isTopLevel(scope: string): boolean {
  return scope === '' || scope === contextScope(globalContext);
}

function bodyField(field: ConfigField): string {
  return field === 'compatibilityLevel' ? 'compatibility' : field;
}

/** An empty name is none. */
function readName(body: Fields, field: ConfigField): string | undefined {
  return reader.text(body, field, registryLimits.subjectCharsMax) || undefined;
}

function readLevel(body: Fields): unknown {
  const name = reader.text(body, 'compatibility')?.toUpperCase();
  if (name === undefined) return undefined;
  const level = compatibilityLevels.find((known) => known === name);
  if (level !== undefined) return level;
  throw new RegistryError(
    'invalidCompatibilityLevel',
    'Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive',
  );
}

function readPolicy(body: Fields): unknown {
  const name = reader.text(body, 'compatibilityPolicy')?.toUpperCase();
  if (name === undefined) return undefined;
  const policy = policies.find((known) => known === name);
  return (
    policy ?? reader.refuse('Invalid compatibility policy. Valid values are strict, lenient and logical')
  );
}
