import { type ConfigTexts, clusterConfigValue, groupConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import { groupLimits } from '../limits.ts';
import type { ConsumerRules } from './event.ts';

/** The configured rules of consumer groups, computed once per change of the configs. */
export class ConsumerConfigs {
  readonly #machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>;
  #made: { readonly configs: ConfigTexts; readonly rules: ConsumerRules } | undefined;

  constructor(machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>) {
    this.#machine = machine;
  }

  /** Group configs apply within the bounds of the cluster configs. */
  rules(groupId: string): ConsumerRules {
    const configs = this.#machine.clusterConfigs();
    if (this.#made?.configs !== configs) this.#made = { configs, rules: rulesOf(configs) };
    const { rules } = this.#made;
    const own = this.#machine.kv.get('groupConfigs', groupId);
    return own === undefined ? rules : { ...rules, ...ownRules(JSON.parse(own.toString()), configs) };
  }

  mayMigrate(to: 'consumer' | 'classic'): boolean {
    const policy = clusterConfigValue('group.consumer.migration.policy', this.#machine.clusterConfigs());
    return policy === 'bidirectional' || policy === (to === 'consumer' ? 'upgrade' : 'downgrade');
  }
}

function rulesOf(configs: ConfigTexts): ConsumerRules {
  return {
    heartbeatIntervalMs: clusterConfigValue('group.consumer.heartbeat.interval.ms', configs),
    sessionTimeoutMs: clusterConfigValue('group.consumer.session.timeout.ms', configs),
    groupSizeMax: clusterConfigValue('group.consumer.max.size', configs),
    subscribedNamesMax: groupLimits.subscribedNamesMax,
    textCharsMax: groupLimits.groupMetadataBytesMax,
    nameCharsMax: coreLimits.groupNameCharsMax,
    classicSessionTimeoutMsMin: clusterConfigValue('group.min.session.timeout.ms', configs),
    classicSessionTimeoutMsMax: clusterConfigValue('group.max.session.timeout.ms', configs),
    memberProtocolsMax: groupLimits.memberProtocolsMax,
  };
}

function ownRules(
  own: ConfigTexts,
  configs: ConfigTexts,
): Partial<Pick<ConsumerRules, 'heartbeatIntervalMs' | 'sessionTimeoutMs'>> {
  const rules: { heartbeatIntervalMs?: number; sessionTimeoutMs?: number } = {};
  if (Object.hasOwn(own, 'consumer.heartbeat.interval.ms')) {
    rules.heartbeatIntervalMs = between(
      groupConfigValue('consumer.heartbeat.interval.ms', own, configs),
      clusterConfigValue('group.consumer.min.heartbeat.interval.ms', configs),
      clusterConfigValue('group.consumer.max.heartbeat.interval.ms', configs),
    );
  }
  if (Object.hasOwn(own, 'consumer.session.timeout.ms')) {
    rules.sessionTimeoutMs = between(
      groupConfigValue('consumer.session.timeout.ms', own, configs),
      clusterConfigValue('group.consumer.min.session.timeout.ms', configs),
      clusterConfigValue('group.consumer.max.session.timeout.ms', configs),
    );
  }
  return rules;
}

function between(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
