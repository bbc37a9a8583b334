import type { ClusterKind, DiagnosticSnapshot } from './diagnostic-snapshot.ts';
import type { ClusterHistory } from './history.ts';

/** From the least to the worst. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const checkTypes = ['agents', 'clients', 'consumers', 'limits', 'security', 'storage'] as const;
export type CheckType = (typeof checkTypes)[number];

/** Whose stats a check judges: those that the control plane has itself, or those that agents tell. */
const checkSources = ['control_plane', 'agent'] as const;
type CheckSource = (typeof checkSources)[number];

type EntityKind =
  | 'cluster'
  | 'agent'
  | 'client'
  | 'group'
  | 'topic'
  | 'bucket'
  | 'file'
  | 'acl'
  | 'credential'
  | 'certificate'
  | 'token'
  | 'metric'
  | 'release'
  | 'check';

/** What is wrong. Kind and name together are the same from look to look, and no two findings of one look share them. */
export interface Entity {
  readonly kind: EntityKind;
  readonly name: string;
}

export interface Finding {
  readonly entity: Entity;
  /** One sentence with the stats. */
  readonly message: string;
  /** When this one is worse than the check usually is. */
  readonly severity?: Severity | undefined;
  /** Tells which of a check's findings are worse than others; larger is worse. */
  readonly weight: number;
  /** Since when it is so, as far as the stats tell. */
  readonly sinceMs?: number | undefined;
}

/** The answer of a check that lacks something; a word or two for what. */
interface NoData {
  readonly missing: string;
}

/** Nothing found is an empty list. */
export type CheckResult = readonly Finding[] | NoData;

/** How many looks in a row have to agree before the state of a diagnostic changes. */
interface Damping {
  readonly failAfterRuns: number;
  readonly recoverAfterRuns: number;
}

const defaultDamping: Damping = { failAfterRuns: 2, recoverAfterRuns: 2 };

/** What people are told of one thing that can be wrong with a cluster. */
export interface CheckDescription<Name extends string = string> {
  /** Words in lower case with underscores. It is the id of the diagnostic, so it never changes. */
  readonly name: Name;
  readonly type: CheckType;
  readonly source: CheckSource;
  /** Of findings that do not say otherwise. */
  readonly severity: Severity;
  readonly title: string;
  /** What is compared with what. */
  readonly observes: string;
  /** What it does to the cluster and its users. */
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

/** What most checks have in common need not be said by each. */
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
