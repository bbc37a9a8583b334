import * as s from '../shapes/shape.ts';

/**
 * The question what a migration would do. An agent answers it, because only agents reach the source. It goes the way of
 * queries about events, and has a kind that no such query has.
 */
export const preflightKind = 'migrationPreflight';

const preflightQuestion = s.struct({
  kind: s.oneOf(preflightKind),
  /** Absent before the pipeline exists. */
  pipelineId: s.optional(s.text),
  yaml: s.text,
  /** The values of the secrets that the configuration refers to. */
  secrets: s.optional(s.texts),
  /** Agents that take jobs of migrations, as the leader knows them. */
  jobAgentCount: s.whole,
  /** Findings, topics, ACLs and groups that the answer lists, of each. */
  rowsMax: s.whole,
});
export type PreflightQuestion = s.TypeOf<typeof preflightQuestion>;

/** What becomes of a config of the source. */
export interface PreflightConfig {
  readonly name: string;
  readonly value: string;
  readonly fate: 'copied' | 'without effect' | 'left out' | 'refused';
  readonly reason?: string | undefined;
}

/** What a preflight found, as far as one answer has room for it. Texts of the source may have any characters. */
export interface PreflightAnswer {
  readonly canStart: boolean;
  readonly findings: readonly {
    readonly severity: 'blocking' | 'warning' | 'note';
    readonly subject: string;
    readonly message: string;
  }[];
  readonly source: {
    readonly clusterId: string | null;
    readonly brokerCount: number;
    readonly hasTopicIds: boolean;
    readonly knowsEpochs: boolean;
  };
  readonly topics: readonly {
    readonly source: string;
    readonly destination?: string | undefined;
    readonly fate: 'created' | 'continued' | 'refused' | 'not selected';
    readonly reason?: string | undefined;
    readonly partitionCount: number;
    readonly offsetCount: number;
    readonly bytes?: number | undefined;
    /** Without those that are copied. */
    readonly configs: readonly PreflightConfig[];
    readonly copiedConfigCount: number;
  }[];
  readonly clusterConfigs: readonly PreflightConfig[];
  readonly acls: readonly {
    /** In words. */
    readonly acl: string;
    readonly created: readonly string[];
    readonly note?: string | undefined;
  }[];
  readonly groups: readonly {
    readonly groupId: string;
    readonly destination: string;
    readonly fate: 'copied' | 'waits' | 'left out';
    readonly reason?: string | undefined;
    readonly commitCount: number;
    readonly state: string;
  }[];
  readonly totals: {
    readonly topics: number;
    readonly partitions: number;
    readonly offsets: number;
    readonly bytes?: number | undefined;
    readonly groups: number;
    readonly acls: number;
  };
  /** Rows beyond those that are listed. */
  readonly leftOutCount: number;
}

export type PreflightOutcome =
  | { readonly kind: 'answered'; readonly answer: PreflightAnswer }
  | {
      readonly kind: 'refused';
      /** `invalid`: the configuration. `unavailable`: the source. */
      readonly reason: 'invalid' | 'unavailable';
      /** One line for the person who asks. */
      readonly message: string;
    };

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readPreflightQuestion(value: unknown): PreflightQuestion | undefined {
  if ((value as { readonly kind?: unknown } | null)?.kind !== preflightKind) return undefined;
  const problem = preflightQuestion(value, 'question');
  if (problem !== undefined) throw new TypeError(problem);
  return value as PreflightQuestion;
}
