import type { AclOutcome } from '../configs/copy-acls.ts';
import type { ConfigOutcome } from '../configs/copy-topic-configs.ts';

/**
 * `blocking`: the migration cannot run, or not this topic, until an operator acts. `warning`: it runs, and something is
 * different here afterwards. `note`: worth knowing.
 */
export type FindingSeverity = 'blocking' | 'warning' | 'note';

/** One thing to know before a migration begins. */
export interface Finding {
  readonly severity: FindingSeverity;
  /** What it is about, as a person would say it: `the source`, `topic orders`, `group billing`. */
  readonly subject: string;
  /** One line: what is so, and what to do about it. */
  readonly message: string;
}

/** What will become of a topic of the source. */
export interface TopicOutcome {
  readonly source: string;
  /** Its name here; absent if it is not copied. */
  readonly destination: string | undefined;
  /**
   * `created`: a managed topic is created here. `continued`: the migration has it already. `refused`: it cannot be
   * copied, `reason` says why. `not selected`: no mapping matches it, or it is internal to the source.
   */
  readonly fate: 'created' | 'continued' | 'refused' | 'not selected';
  readonly reason: string | undefined;
  readonly partitionCount: number;
  /** Offsets between log starts and ends, of partitions that answered: no less than there are records. */
  readonly offsetCount: number;
  /** Of one replica; absent if the source does not say. */
  readonly bytes: number | undefined;
  readonly configs: readonly ConfigOutcome[];
}

/** What will become of a group of the source. */
export interface GroupOutcome {
  readonly groupId: string;
  readonly destination: string;
  /**
   * `copied`: its offsets are committed here. `waits`: it has members here, so that its offsets are left alone. `left
   * out`: it has no offsets of topics that are copied.
   */
  readonly fate: 'copied' | 'waits' | 'left out';
  readonly reason: string | undefined;
  /** Committed partitions of topics that are copied. */
  readonly commitCount: number;
  /** As the source spells it. */
  readonly state: string;
}

/** What will happen when a migration begins, as far as its source can be asked. */
export interface Preflight {
  /** No finding about the migration as a whole blocks it; single topics may still be refused. */
  readonly canStart: boolean;
  /** The most severe first. */
  readonly findings: readonly Finding[];
  readonly source: {
    readonly clusterId: string | null;
    readonly brokerCount: number;
    readonly fetchVersion: number | undefined;
    readonly hasTopicIds: boolean;
    readonly knowsEpochs: boolean;
  };
  /** By name at the source. */
  readonly topics: readonly TopicOutcome[];
  /** Configs of the source's brokers, if the configuration copies them. */
  readonly clusterConfigs: readonly ConfigOutcome[];
  readonly acls: readonly AclOutcome[];
  readonly groups: readonly GroupOutcome[];
  readonly totals: {
    readonly topics: number;
    readonly partitions: number;
    readonly offsets: number;
    readonly bytes: number | undefined;
    readonly groups: number;
    readonly acls: number;
  };
}
