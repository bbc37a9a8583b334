import type {
  AlterConfigsError,
  AlterConfigsReason,
  ConfigChange,
  ConfigsToAlter,
} from '../calls/admin-calls.ts';
import { checkConfigs } from './check-configs.ts';
import { configCatalogues } from './config-catalogues.ts';
import { describeProblem } from './config-row.ts';
import { wordsOf } from './config-type.ts';
import {
  type ConfigTexts,
  clusterConfigValue,
  effectiveText,
  groupConfigValue,
  topicConfigValue,
} from './config-value.ts';

type AlteredConfigs = { readonly error: 'NONE'; readonly configs: ConfigTexts } | ConfigsRefusal;

interface ConfigsRefusal {
  readonly error: Exclude<AlterConfigsError, 'NONE'>;
  readonly message: string;
  readonly reason?: AlterConfigsReason;
}

/** Clients change configs through agents, owners through the API. */
export type ConfigsBy = 'client' | 'owner';

/**
 * Returns the configs of a resource after the changes, or what is wrong with them; changes no state. Clients can
 * neither change nor unset configs for owners only; they may send the current value, because tools send back every
 * config that they have read.
 */
export function alteredConfigs(
  { kind, name: resourceName, replacesAll, changes }: ConfigsToAlter,
  present: ConfigTexts,
  clusterTexts: ConfigTexts,
  by: ConfigsBy = 'client',
): AlteredConfigs {
  const texts = new Map<string, string | null>();
  const { rows } = configCatalogues[kind];
  for (const change of changes) {
    const { name, operation, value } = change;
    if (texts.has(name)) return refused('INVALID_REQUEST', `Duplicate config ${name} in the request.`);
    if (operation !== 'delete' && value === null) {
      return refused('INVALID_REQUEST', `${name} has no value; use the DELETE operation to unset it.`);
    }
    if (operation === 'set' || operation === 'delete') {
      texts.set(name, operation === 'set' ? value : null);
      continue;
    }
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row !== undefined && row.type.kafkaType !== 'LIST') {
      return refused('INVALID_CONFIG', `${name} is not a list config; APPEND and SUBTRACT are not allowed.`);
    }
    texts.set(name, listAfter(change, effectiveText(kind, name, present, clusterTexts) ?? ''));
  }

  const { configs, problems } = checkConfigs(kind, Object.fromEntries(texts));
  if (problems.length > 0) {
    const error = problems.every((problem) => problem.error === 'INVALID_REQUEST')
      ? 'INVALID_REQUEST'
      : 'INVALID_CONFIG';
    return refused(error, problems.map(describeProblem).join('; '));
  }
  const isOwnersOnly = (name: string) => by === 'client' && ownersOnlyRule(kind, name) !== undefined;
  for (const [name, text] of Object.entries(configs)) {
    if (!isOwnersOnly(name) || text === (present[name] ?? null)) continue;
    return refused('INVALID_CONFIG', `${name}: ${ownersOnlyRule(kind, name)}`);
  }
  const after = new Map(Object.entries(present).filter(([name]) => !replacesAll || isOwnersOnly(name)));
  for (const [name, text] of Object.entries(configs)) {
    if (text === null) after.delete(name);
    else after.set(name, text);
  }
  const result = sortedConfigs(after);
  const conflict = conflictOf(kind, resourceName, present, result, clusterTexts, by);
  return conflict ?? { error: 'NONE', configs: result };
}

function ownersOnlyRule(kind: ConfigsToAlter['kind'], name: string): string | undefined {
  const { rows } = configCatalogues[kind];
  return Object.hasOwn(rows, name) ? rows[name]!.ownersOnly : undefined;
}

/** Sorted by name, so that equal configs have equal bytes. */
function sortedConfigs(configs: Iterable<readonly [string, string]>): ConfigTexts {
  return Object.fromEntries([...configs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function listAfter({ operation, value }: ConfigChange, before: string): string {
  const words = wordsOf(before);
  const named = wordsOf(value ?? '');
  const after =
    operation === 'append'
      ? [...words, ...named.filter((word) => !words.includes(word))]
      : words.filter((word) => !named.includes(word));
  return after.join(',');
}

/** Finds values that are valid individually but not together, or not after the previous ones. */
function conflictOf(
  kind: ConfigsToAlter['kind'],
  resourceName: string,
  before: ConfigTexts,
  after: ConfigTexts,
  clusterTexts: ConfigTexts,
  by: ConfigsBy,
): ConfigsRefusal | undefined {
  if (kind === 'topic') {
    // Clients can, as with Apache Kafka. The contract of the API is stricter.
    if (by === 'client') return undefined;
    const isCompacted = (texts: ConfigTexts) =>
      topicConfigValue('cleanup.policy', texts, clusterTexts).includes('compact');
    if (isCompacted(before) === isCompacted(after)) return undefined;
    const message = `The topic ${resourceName} cannot be made ${isCompacted(after) ? 'compacted' : 'non-compacted'} through the API; use a Kafka client, or create another topic.`;
    return { error: 'INVALID_CONFIG', message, reason: 'COMPACTION_CHANGE' };
  }
  const message = kind === 'cluster' ? clusterConflict(after) : groupConflict(kind, after, clusterTexts);
  return message === undefined ? undefined : refused('INVALID_CONFIG', message);
}

function groupConflict(
  kind: ConfigsToAlter['kind'],
  after: ConfigTexts,
  clusterTexts: ConfigTexts,
): string | undefined {
  if (kind !== 'group') return undefined;
  for (const type of ['consumer', 'share', 'streams'] as const) {
    const heartbeatMs = groupConfigValue(`${type}.heartbeat.interval.ms`, after, clusterTexts);
    const sessionMs = groupConfigValue(`${type}.session.timeout.ms`, after, clusterTexts);
    if (heartbeatMs < sessionMs) continue;
    return `${type}.heartbeat.interval.ms=${heartbeatMs}: must be less than ${type}.session.timeout.ms, which is ${sessionMs}`;
  }
  return undefined;
}

/** Finds configs of the cluster that are valid individually but not together. */
export function clusterConflict(texts: ConfigTexts): string | undefined {
  const isSet = (name: 'service.acls.enabled' | 'service.acl.shadowing.enabled') =>
    clusterConfigValue(name, texts);
  if (!isSet('service.acls.enabled') || !isSet('service.acl.shadowing.enabled')) return undefined;
  return 'service.acls.enabled and service.acl.shadowing.enabled cannot both be true: ACLs are either enforced or shadowed.';
}

function refused(error: Exclude<AlterConfigsError, 'NONE'>, message: string): ConfigsRefusal {
  return { error, message };
}
