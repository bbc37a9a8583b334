import { type ValuePath, withSubject } from '@weir/api';
import { checkConfigs, describeConfigs, isConfigName } from '@weir/cluster';
import { nearestName } from '@weir/core';

type ConfigKind = 'topic' | 'cluster';
export type ConfigTexts = Readonly<Record<string, string>>;

interface CheckedTexts {
  /** With the names and in the format in which a cluster returns them, so that the two can be compared. */
  readonly texts: ConfigTexts;
  readonly problems: readonly { readonly path: ValuePath; readonly message: string }[];
}

/** Configs that have a field of their own in a document. */
const fieldOfClusterConfig: Readonly<Record<string, string>> = {
  'service.acls.enabled': 'configuration.enable_acls',
  'service.acl.shadowing.enabled': 'configuration.enable_acl_shadowing',
};

/**
 * Checks configs before anything is changed. Names that are unknown, or that have a field of their own, are rejected
 * with a hint what to write instead.
 */
export function checkTexts(kind: ConfigKind, given: ConfigTexts, path: ValuePath): CheckedTexts {
  const problems = Object.keys(given).flatMap((name) => {
    const rule = ruleAgainst(kind, name);
    return rule === undefined ? [] : [problemAt(path, name, rule)];
  });
  const { configs, problems: refused } = checkConfigs(kind, given);
  for (const { name, rule } of refused) {
    if (ruleAgainst(kind, name) === undefined) problems.push(problemAt(path, name, rule));
  }
  return { texts: normalized(kind, configs as ConfigTexts), problems };
}

function problemAt(path: ValuePath, name: string, rule: string) {
  const at = [...path, name];
  return { path: at, message: withSubject(at, rule) };
}

function ruleAgainst(kind: ConfigKind, name: string): string | undefined {
  if (!isConfigName(kind, name)) {
    const nearest = nearestName(name, configNames(kind));
    const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return `unknown ${kind === 'topic' ? 'topic' : 'broker'} config${suggestion}`;
  }
  if (kind === 'topic') return undefined;
  if (name.startsWith('service.events.')) return 'is set by events';
  if (name === 'service.bucket.url') return 'cannot be set here; change it with the API';
  return Object.hasOwn(fieldOfClusterConfig, name) ? `is set by ${fieldOfClusterConfig[name]}` : undefined;
}

function configNames(kind: ConfigKind): string[] {
  return describeConfigs(kind, { texts: {}, clusterTexts: {}, agentTexts: {}, names: null }).map(
    ({ name }) => name,
  );
}

function normalized(kind: ConfigKind, texts: ConfigTexts): ConfigTexts {
  const names = Object.keys(texts);
  const described = describeConfigs(kind, { texts, clusterTexts: {}, agentTexts: {}, names });
  return Object.fromEntries(described.map(({ name, value }) => [name, value ?? texts[name]!]));
}
