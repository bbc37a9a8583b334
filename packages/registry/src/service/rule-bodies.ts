import { registryLimits } from '../limits.ts';
import type { Metadata, Rule, RuleSet } from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { BodyReader, type JsonObject } from './body-reader.ts';

const invalidSchema: BodyReader = new BodyReader('invalidSchema');
const invalidRules: BodyReader = new BodyReader('invalidRuleSet');

const ruleNameCharsMax = 64;
const rulesMax = 10_000;
const migrationModes = ['UPGRADE', 'DOWNGRADE', 'UPDOWN'];
const domainModes = ['WRITE', 'READ', 'WRITEREAD'];
const ruleKinds = ['TRANSFORM', 'CONDITION'];

/** Reads `metadata` of a body, and of the default and override fields of a config. */
export function readMetadata(value: unknown): Metadata | undefined {
  if (value === undefined) return undefined;
  const object = invalidSchema.object(value, 'The metadata');
  const metadata = withoutUndefined<Metadata>({
    tags: invalidSchema.textsMap(object, 'tags'),
    properties: invalidSchema.textMap(object, 'properties'),
    sensitive: invalidSchema.texts(object, 'sensitive', rulesMax),
  });
  if (JSON.stringify(metadata).length > registryLimits.metadataBytesMax)
    invalidSchema.refuse(`The metadata is larger than ${registryLimits.metadataBytesMax} bytes.`);
  return metadata;
}

/** Reads `ruleSet` of a body, and of the default and override fields of a config. */
export function readRuleSet(value: unknown): RuleSet | undefined {
  if (value === undefined) return undefined;
  const object = invalidRules.object(value, 'The rule set');
  const names = new Set<string>();
  const ruleSet = withoutUndefined<RuleSet>({
    migrationRules: readRules(object, 'migrationRules', migrationModes, names),
    domainRules: readRules(object, 'domainRules', domainModes, names),
    encodingRules: readRules(object, 'encodingRules', domainModes, names),
    enableAt: invalidRules.text(object, 'enableAt'),
  });
  if (JSON.stringify(ruleSet).length > registryLimits.ruleSetBytesMax)
    invalidRules.refuse(`The rule set is larger than ${registryLimits.ruleSetBytesMax} bytes.`);
  return ruleSet;
}

function readRules(
  object: JsonObject,
  field: string,
  modes: readonly string[],
  names: Set<string>,
): readonly Rule[] | undefined {
  return invalidRules.list(object, field, rulesMax)?.map((value) => {
    const rule = readRule(value);
    if (names.has(rule.name!)) invalidRules.refuse(`Found rule with duplicate name '${rule.name}'`);
    names.add(rule.name!);
    if (!modes.includes(rule.mode!))
      invalidRules.refuse(`The ${field} can only have the modes ${modes.join(', ')}.`);
    return rule;
  });
}

function readRule(value: unknown): Rule {
  const object = invalidRules.object(value, 'A rule');
  const rule = withoutUndefined<Rule>({
    name: invalidRules.text(object, 'name'),
    doc: invalidRules.text(object, 'doc'),
    kind: invalidRules.text(object, 'kind')?.toUpperCase(),
    mode: invalidRules.text(object, 'mode')?.toUpperCase(),
    type: invalidRules.text(object, 'type'),
    tags: invalidRules.texts(object, 'tags', rulesMax),
    params: invalidRules.textMap(object, 'params'),
    expr: invalidRules.text(object, 'expr'),
    onSuccess: invalidRules.text(object, 'onSuccess'),
    onFailure: invalidRules.text(object, 'onFailure'),
    disabled: invalidRules.boolean(object, 'disabled'),
  });
  const { name, kind, mode, type, onSuccess, onFailure } = rule;
  if (name === undefined || name === '') throw new RegistryError('invalidRuleSet', 'Missing rule name');
  if (name.length > ruleNameCharsMax) invalidRules.refuse(`The rule name ${name} is too long.`);
  if (!/^[\p{L}_][\p{L}\p{Nd}_-]*$/u.test(name))
    invalidRules.refuse(`Illegal character in rule name: ${name}`);
  if (type === undefined) invalidRules.refuse(`The rule ${name} has no type.`);
  if (mode === undefined) invalidRules.refuse(`The rule ${name} has no mode.`);
  if (kind !== undefined && !ruleKinds.includes(kind))
    invalidRules.refuse(`The kind of the rule ${name} is neither TRANSFORM nor CONDITION.`);
  if (
    mode !== 'WRITEREAD' &&
    mode !== 'UPDOWN' &&
    [onSuccess, onFailure].some((action) => action?.includes(','))
  )
    invalidRules.refuse('Multiple actions only valid with WRITEREAD and UPDOWN');
  return rule;
}
