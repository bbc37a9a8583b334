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

/** What somebody sees of the topics. */
export interface TopicVisibility {
  /** The same for all who see the same; empty for those who see everything. Other rules make other keys. */
  readonly key: string;
  sees(topicName: string): boolean;
}

export const allTopicsVisible: TopicVisibility = { key: '', sees: () => true };

interface TopicVisibilitiesOptions {
  readonly machine: Pick<ClusterMachine, 'records' | 'clusterConfigs'>;
  readonly clock: Clock;
  /** Somebody may see something else than before. */
  readonly onChanged: () => void;
}

/** Rules come in bulk, and each change has all patterns matched anew; so they wait for each other this long. */
const gatherMs = 1_000;
const everyHost = '*';

/**
 * Which topics members may be given that subscribe by a pattern: those that they may DESCRIBE. Whoever names a topic is asked by
 * the agent; what a pattern matches is known here only.
 */
export class TopicVisibilities {
  readonly #options: TopicVisibilitiesOptions;
  /** `undefined` until somebody is bound by rules. */
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
    this.#rules ??= new TopicRules(readAcls(this.#options.machine.records.of('acl').keys()));
    const { index, hosts } = this.#rules;
    const { principals, host } = reader;
    const question = { principals, host, operation: 'DESCRIBE', resourceType: 'TOPIC' } as const;
    return {
      key: `${this.#version} ${JSON.stringify([hosts.has(host) ? host : everyHost, ...principals])}`,
      sees: (resourceName) => index.decide({ ...question, resourceName }).isAllowed,
    };
  }

  /** What has become durable. */
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
    if (isOther) this.#tellSoon();
  }

  close(): void {
    this.#cancel?.();
  }

  #tellSoon(): void {
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

/** The rules about topics. */
class TopicRules {
  readonly index = new AclIndex();
  /** The rules that are about each single address: who comes from any other is like all others. */
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
