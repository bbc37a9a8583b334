import { type ConfigTexts, clusterConfigValue, groupConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import { groupLimits } from '../limits.ts';
import type { ShareRules } from './event.ts';
import type { PartitionRules } from './partitions/share-partition.ts';

/** The configuration of one share group. */
export interface ShareGroupRules extends ShareRules, PartitionRules {
  /** The start position in a partition that the group has not read yet. */
  readonly beginsAt: 'latest' | 'earliest';
  readonly isReadCommitted: boolean;
}

/** The configured rules of share groups, computed once per change of the configs. */
export class ShareConfigs {
  readonly #machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>;
  #configs: ConfigTexts | undefined;
  readonly #made = new Map<string, { readonly own: Buffer | undefined; readonly rules: ShareGroupRules }>();

  constructor(machine: Pick<ClusterMachine, 'clusterConfigs' | 'kv'>) {
    this.#machine = machine;
  }

  rules(groupId: string): ShareGroupRules {
    const configs = this.#machine.clusterConfigs();
    if (this.#configs !== configs) {
      this.#made.clear();
      this.#configs = configs;
    }
    const own = this.#machine.kv.get('groupConfigs', groupId);
    // Groups without own configs share the rules.
    const key = own === undefined ? '' : groupId;
    const made = this.#made.get(key);
    if (made !== undefined && made.own === own) return made.rules;
    const rules = rulesOf(own === undefined ? {} : JSON.parse(own.toString()), configs);
    this.#made.set(key, { own, rules });
    return rules;
  }
}

function rulesOf(own: ConfigTexts, configs: ConfigTexts): ShareGroupRules {
  return {
    heartbeatIntervalMs: groupConfigValue('share.heartbeat.interval.ms', own, configs),
    sessionTimeoutMs: groupConfigValue('share.session.timeout.ms', own, configs),
    groupSizeMax: clusterConfigValue('group.share.max.size', configs),
    subscribedNamesMax: groupLimits.subscribedNamesMax,
    textCharsMax: groupLimits.groupMetadataBytesMax,
    nameCharsMax: coreLimits.groupNameCharsMax,
    lockMs: groupConfigValue('share.record.lock.duration.ms', own, configs),
    deliveriesMax: groupConfigValue('share.delivery.count.limit', own, configs),
    windowMax: groupConfigValue('share.partition.max.record.locks', own, configs),
    mayRenew: groupConfigValue('share.renew.acknowledge.enable', own, configs),
    beginsAt: groupConfigValue('share.auto.offset.reset', own, configs),
    isReadCommitted: groupConfigValue('share.isolation.level', own, configs) === 'read_committed',
  };
}
