import type { ClusterKind, DiagnosticSnapshot } from './diagnostic-snapshot.ts';
import type { ClusterHistory } from './history.ts';

/** In ascending order. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const checkTypes = [
  'agents',
  'clients',
  'consumers',
  'pipelines',
  'limits',
  'security',
  'storage',
] as const;
export type CheckType = (typeof checkTypes)[number];

/** The source of the stats that a check uses: the control plane itself, or reports of agents. */
const checkSources = ['control_plane', 'agent'] as const;
type CheckSource = (typeof checkSources)[number];

type EntityKind =
  | 'cluster'
  | 'agent'
  | 'client'
  | 'group'
  | 'topic'
  | 'subject'
  | 'bucket'
  | 'file'
  | 'acl'
  | 'credential'
  | 'certificate'
  | 'token'
  | 'metric'
  | 'release'
  | 'job'
  | 'pipeline'
  | 'table'
  | 'channel'
  | 'check';

/** The object of a finding. Kind and name identify it across runs and are unique within a run. */
export interface Entity {
  readonly kind: EntityKind;
  readonly name: string;
}

export interface Finding {
  readonly entity: Entity;
  /** One sentence with the numbers. */
  readonly message: string;
  /** If this finding differs in severity from its check. */
  readonly severity?: Severity | undefined;
  /** Orders the findings of a check; larger is worse. */
  readonly weight: number;
  /** When it began, as far as the stats show. */
  readonly sinceMs?: number | undefined;
}

/** The result of a check without its input, with a short name of what is missing. */
interface NoData {
  readonly missing: string;
}

/** An empty list means nothing was found. */
export type CheckResult = readonly Finding[] | NoData;

/** How many consecutive runs have to agree before the status of a diagnostic changes. */
interface Damping {
  readonly failAfterRuns: number;
  readonly recoverAfterRuns: number;
}

const defaultDamping: Damping = { failAfterRuns: 2, recoverAfterRuns: 2 };

/** The description of one possible problem of a cluster. */
export interface CheckDescription<Name extends string = string> {
  /** Lower case with underscores. It is the id of the diagnostic, so it never changes. */
  readonly name: Name;
  readonly type: CheckType;
  readonly source: CheckSource;
  /** The default for its findings. */
  readonly severity: Severity;
  readonly title: string;
  /** What is compared with what. */
  readonly observes: string;
  /** The effect on the cluster and its users. */
  readonly explanation: string;
  /** What to do about it. */
  readonly fix: string;
  readonly kinds: readonly ClusterKind[];
  readonly damping: Damping;
}

export interface Check<Name extends string = string> extends CheckDescription<Name> {
  /** Pure: the same snapshot and history give the same findings. */
  run(snapshot: DiagnosticSnapshot, history: ClusterHistory): CheckResult;
}

/** Most checks share these defaults. */
type CheckDefinition<Name extends string> = Omit<Check<Name>, 'kinds' | 'damping'> &
  Partial<Pick<Check, 'kinds' | 'damping'>>;

export function defineCheck<const Name extends string>(definition: CheckDefinition<Name>): Check<Name> {
  return { kinds: ['kafka'], damping: defaultDamping, ...definition };
}

export function isNoData(result: CheckResult): result is NoData {
  return 'missing' in result;
}

export function entityKey({ kind, name }: Entity): string {
  return `${kind}:${name}`;
}

export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}
