import {
  AclIndex,
  type ClusterChange,
  clusterConfigValue,
  readAclKey,
  readAcls,
  type TopicReader,
} from '@weir/cluster';
import type { Acl, Clock } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';

/** The topics that a reader can see. */
export interface TopicVisibility {
  /** Equal for readers with equal visibility; empty if all topics are visible. Changed ACLs change the keys. */
  readonly key: string;
  sees(topicName: string): boolean;
}

export const allTopicsVisible: TopicVisibility = { key: '', sees: () => true };

interface TopicVisibilitiesOptions {
  readonly machine: Pick<ClusterMachine, 'kv' | 'clusterConfigs'>;
  readonly clock: Clock;
  /** The visibility of topics may have changed. */
  readonly onChanged: () => void;
}

/** ACLs change in bulk, and each change rematches all patterns; so changes within this time are batched. */
const gatherMs = 1_000;
const everyHost = '*';

/**
 * Determines the topics that a pattern may match: those that the member may DESCRIBE. The agent authorises topics that
 * a member names; only the leader knows what a pattern matches.
 */
export class TopicVisibilities {
  readonly #options: TopicVisibilitiesOptions;
  /** `undefined` until a reader with restrictions appears. */
  #rules: TopicRules | undefined;
  #isEnforced: boolean;
  #version = 0;
  #cancel: (() => void) | undefined;

  constructor(options: TopicVisibilitiesOptions) {
    this.#options = options;
    this.#isEnforced = this.#areRulesEnforced();
  }

  measuredViewOf(reader: TopicReader | null): TopicVisibility {
    if (reader === null || !this.#isEnforced) return allTopicsVisible;
    this.#rules ??= new TopicRules(readAcls(this.#options.machine.kv.of('acl').keys()));
    const { index, hosts } = this.#rules;
    const { principals, host } = reader;
    const question = { principals, host, operation: 'DESCRIBE', resourceType: 'TOPIC' } as const;
    return {
      key: `${this.#version} ${JSON.stringify([hosts.has(host) ? host : everyHost, ...principals])}`,
      sees: (resourceName) => index.decide({ ...question, resourceName }).isAllowed,
    };
  }

  /** Handles durable changes. */
  onChanges(changes: readonly ClusterChange[]): void {
    let isOther = false;
    for (const change of changes) {
      if (change.kind === 'clusterConfigs') {
        const before = this.#isEnforced;
        this.#isEnforced = this.#areRulesEnforced();
        isOther ||= before !== this.#isEnforced;
      } else if (change.kind === 'record' && change.namespace === 'acl') {
        const acl = readAclKey(change.key);
        if (acl?.resourceType !== 'TOPIC') continue;
        if (change.value === null) this.#rules?.delete(acl);
        else this.#rules?.put(acl);
        isOther ||= this.#rules !== undefined;
      }
    }
    if (isOther) this.#notifySoon();
  }

  close(): void {
    this.#cancel?.();
  }

  #notifySoon(): void {
    this.#cancel ??= this.#options.clock.after(gatherMs, () => {
      this.#cancel = undefined;
      this.#version++;
      this.#options.onChanged();
    });
  }

  #areRulesEnforced(): boolean {
    return clusterConfigValue('service.acls.enabled', this.#options.machine.clusterConfigs());
  }
}

/** The ACLs of topics. */
class TopicRules {
  readonly index = new AclIndex();
  /** ACLs per host: readers from all other hosts have equal visibility. */
  readonly hosts = new Map<string, Set<string>>();

  constructor(acls: Iterable<Acl>) {
    for (const acl of acls) if (acl.resourceType === 'TOPIC') this.put(acl);
  }

  put(acl: Acl): void {
    this.index.put(acl);
    if (acl.host === everyHost) return;
    const rules = this.hosts.get(acl.host) ?? new Set();
    this.hosts.set(acl.host, rules.add(JSON.stringify(acl)));
  }

  delete(acl: Acl): void {
    this.index.delete(acl);
    const rules = this.hosts.get(acl.host);
    rules?.delete(JSON.stringify(acl));
    if (rules?.size === 0) this.hosts.delete(acl.host);
  }
}
