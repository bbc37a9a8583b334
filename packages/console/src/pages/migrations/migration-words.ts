import { counted, formatBytes, formatCount, formatDuration } from '../../format/format.ts';
import type { StatusKind } from '../../ui/status.tsx';
import type { Migration, MigrationTopic } from './use-migration.ts';

type State = MigrationTopic['state'];

/** The steps of a topic in their order. */
export const steps = ['replicating', 'proxy', 'blocked', 'migrated'] as const satisfies readonly State[];

export const stateKinds: Readonly<Record<State, StatusKind>> = {
  waiting: 'info',
  refused: 'fail',
  replicating: 'info',
  proxy: 'info',
  blocked: 'warn',
  migrated: 'ok',
};

/** What each state means for clients. */
export const stateTexts: Readonly<Record<State, string>> = {
  waiting: 'The topic is not created here yet.',
  refused: 'The topic cannot be copied.',
  replicating: 'Records are copied. Clients read here, and write to the source.',
  proxy: 'Agents pass what clients write here on to the source.',
  blocked: 'No writes while the copy catches up. Producers wait and try again.',
  migrated: 'Clients write and read here. The source has no part in it any more.',
};

/** From 0 to 1; `undefined` while the source does not say what it has. */
export function shareOf({
  copied_offsets,
  source_offsets,
}: Pick<MigrationTopic, 'copied_offsets' | 'source_offsets'>): number | undefined {
  if (source_offsets === undefined) return undefined;
  return source_offsets === 0 ? 1 : Math.min(1, copied_offsets / source_offsets);
}

export function shareText(topic: Pick<MigrationTopic, 'copied_offsets' | 'source_offsets'>): string {
  const share = shareOf(topic);
  // A copy that lacks a little is not whole.
  return share === undefined ? '–' : `${Math.floor(share * 100)} %`;
}

type Amounts = Pick<MigrationTopic, 'lag_offsets' | 'eta_seconds' | 'bytes_per_second'>;

export function etaText({ eta_seconds, lag_offsets }: Amounts): string {
  if (eta_seconds !== undefined) return formatDuration(eta_seconds * 1_000);
  return lag_offsets === 0 ? 'caught up' : '–';
}

export function rateText({ bytes_per_second }: Amounts): string {
  return `${formatBytes(bytes_per_second)}/s`;
}

export function stateText({
  state,
  cut_over_requested,
}: Pick<MigrationTopic, 'state' | 'cut_over_requested'>): string {
  return cut_over_requested && state === 'proxy' ? 'proxy, cutting over' : state;
}

/** One sentence about the whole. */
export function summaryOf({ pipeline_state, topics_by_state: counts, totals, topics }: Migration): string {
  if (topics.length === 0)
    return pipeline_state === 'paused'
      ? 'Nothing is copied: the pipeline is paused.'
      : 'No topic of the source is known yet.';
  if (counts.migrated + counts.refused === topics.length)
    return `All ${counted(counts.migrated, 'topic')} that can be copied are migrated.`;
  const cuttingOver = topics.filter(({ cut_over_requested }) => cut_over_requested).length;
  if (cuttingOver > 0) return `${counted(cuttingOver, 'topic')} are being cut over.`;
  if (pipeline_state === 'paused') return 'Nothing is copied: the pipeline is paused.';
  if (totals.lag_offsets === undefined) return 'It is not known how far the copies are behind the source.';
  return totals.lag_offsets === 0
    ? 'The copies have all that the source has.'
    : `The copies are ${formatCount(totals.lag_offsets)} offsets behind the source.`;
}

/** The topics on which a person can act now, by what can be done with them. */
export function choicesOf(topics: readonly MigrationTopic[]) {
  const named = (is: (topic: MigrationTopic) => boolean) => topics.filter(is).map(({ topic }) => topic);
  return {
    toForward: named(({ state }) => state === 'replicating'),
    toCutOver: named(({ state, cut_over_requested }) => state === 'proxy' && !cut_over_requested),
    toAbort: named(({ cut_over_requested }) => cut_over_requested),
    toRollBack: named(({ state, cut_over_requested }) => state === 'proxy' && !cut_over_requested),
    toHandOver: named(({ state, cut_over_requested }) => state === 'replicating' && !cut_over_requested),
  };
}

/** Topics that are held back, and by what; those that wait for a person come first. */
export function heldBack(topics: readonly MigrationTopic[]): readonly MigrationTopic[] {
  const rank = ({ cut_over_requested, stopped_partitions }: MigrationTopic) =>
    (cut_over_requested ? 2 : 0) + (stopped_partitions > 0 ? 1 : 0);
  return topics
    .filter(({ state, holds }) => state !== 'migrated' && holds.length > 0)
    .toSorted((a, b) => rank(b) - rank(a));
}
