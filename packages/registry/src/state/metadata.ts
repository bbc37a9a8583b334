import type { Metadata, Rule, RuleSet } from '../registry-answers.ts';

/** A property by which a client asks for the version of a schema in its own metadata. */
const versionProperty = 'confluent:version';

export function confluentVersion(metadata: Metadata | undefined): string | undefined {
  const { properties } = metadata ?? {};
  return properties !== undefined && Object.hasOwn(properties, versionProperty)
    ? properties[versionProperty]
    : undefined;
}

export function withConfluentVersion(metadata: Metadata | undefined, version: number): Metadata {
  return { ...metadata, properties: { ...metadata?.properties, [versionProperty]: String(version) } };
}

export function withoutConfluentVersion(metadata: Metadata): Metadata {
  if (confluentVersion(metadata) === undefined) return metadata;
  const { [versionProperty]: _, ...properties } = metadata.properties!;
  return { ...metadata, properties };
}

/** Adds what the newer one says to the older one. The newer one wins where both say something. */
export function mergeMetadata(
  older: Metadata | undefined,
  newer: Metadata | undefined,
): Metadata | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  // A path may have the name of a property that every object has.
  const merged = new Map(Object.entries(older.tags ?? {}));
  for (const [path, names] of Object.entries(newer.tags ?? {}))
    merged.set(path, [...new Set([...(merged.get(path) ?? []), ...names])]);
  const tags = Object.fromEntries(merged);
  const sensitive = [...new Set([...(older.sensitive ?? []), ...(newer.sensitive ?? [])])];
  return withoutEmpty({ tags, properties: { ...older.properties, ...newer.properties }, sensitive });
}

/** Adds the newer rules to the older ones. A newer rule replaces the older one of its name. */
export function mergeRuleSets(older: RuleSet | undefined, newer: RuleSet | undefined): RuleSet | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  return withoutUndefined({
    migrationRules: mergeRules(older.migrationRules, newer.migrationRules),
    domainRules: mergeRules(older.domainRules, newer.domainRules),
    encodingRules: mergeRules(older.encodingRules, newer.encodingRules),
    enableAt: newer.enableAt ?? older.enableAt,
  });
}

export function withoutRules(ruleSet: RuleSet, names: readonly string[]): RuleSet {
  const removed = new Set(names);
  const kept = (rules: readonly Rule[] | undefined) => rules?.filter(({ name }) => !removed.has(name ?? ''));
  return withoutUndefined({
    migrationRules: kept(ruleSet.migrationRules),
    domainRules: kept(ruleSet.domainRules),
    encodingRules: kept(ruleSet.encodingRules),
    enableAt: ruleSet.enableAt,
  });
}

function mergeRules(older: readonly Rule[] | undefined, newer: readonly Rule[] | undefined) {
  if (older === undefined || newer === undefined) return newer ?? older;
  const names = new Set(newer.map(({ name }) => name));
  return [...older.filter(({ name }) => !names.has(name)), ...newer];
}

function withoutEmpty({ tags, properties, sensitive }: Metadata): Metadata {
  return withoutUndefined({
    tags: Object.keys(tags ?? {}).length > 0 ? tags : undefined,
    properties: Object.keys(properties ?? {}).length > 0 ? properties : undefined,
    sensitive: (sensitive ?? []).length > 0 ? sensitive : undefined,
  });
}

/** Drops fields without a value, as JSON does. */
export function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}
