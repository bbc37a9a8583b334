import type { LogEnds, NoLogEnds } from '../source/log-ends.ts';
import type { SourceAcls } from '../source/source-acls.ts';
import type { SourceConfig, TopicConfigs } from '../source/source-configs.ts';
import type { SourceCommits, SourceGroups } from '../source/source-groups.ts';
import type { SourceProbe } from '../source/source-probe.ts';
import type { SourceTopics } from '../source/source-topics.ts';

/** Something that the source answered, or the one line why it did not. */
export type Asked<Answer> =
  | { readonly answer: Answer; readonly problem: undefined }
  | { readonly answer: undefined; readonly problem: string };

/** What was read from a source. */
export interface SourceFactsRead {
  readonly probe: SourceProbe;
  readonly topics: SourceTopics;
  /** Of topics that are copied. */
  readonly configs: Asked<readonly TopicConfigs[]>;
  /** Absent if the configuration copies none. */
  readonly brokerConfigs: Asked<readonly SourceConfig[]> | undefined;
  readonly ends: readonly (LogEnds | NoLogEnds)[];
  /** Of one replica, by topic. */
  readonly topicBytes: Asked<ReadonlyMap<string, number>>;
  /** Absent if the configuration copies none. */
  readonly acls: Asked<SourceAcls> | undefined;
  readonly groups: Asked<{ readonly listed: SourceGroups; readonly commits: SourceCommits }> | undefined;
}

/** A topic as it is here. */
export interface OwnTopic {
  readonly name: string;
  readonly partitionCount: number;
  /** The pipeline that copies it; absent for a topic of clients. */
  readonly managedBy: string | undefined;
}

/** What is known of this cluster. */
export interface OwnFacts {
  /** Absent before the pipeline exists. */
  readonly pipelineId: string | undefined;
  readonly topics: readonly OwnTopic[];
  /** Whether the cluster enforces ACLs. */
  readonly enforcesAcls: boolean;
  /** Groups that have members here. */
  readonly busyGroups: ReadonlySet<string>;
  /** How many more partitions there may be. */
  readonly freePartitions: number;
  /** Agents that take jobs of migrations; 0 if none does. */
  readonly jobAgentCount: number;
}
