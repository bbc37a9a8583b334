import { defineCheck } from '../check.ts';

/** The operator who asked for the cut-over knows of it after a day. */
const shownMs = 86_400_000;

export const migrationCutOverTimedOut = defineCheck({
  name: 'migration_cut_over_timed_out',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'medium',
  title: 'A cut-over has timed out',
  observes:
    'Topics of a migration whose last cut-over ended by its timeout in the last 24 hours, and that agents forward to the source again.',
  explanation:
    'Nothing is lost: producers and consumers work as before the cut-over. But the topics are not migrated.',
  fix: 'See what held it back in weir cli migrate status -topic or on the page of the migration: lag, stopped partitions, open transactions, or producers that still write to the source. Mend that, then initiate the cut-over again, with more time if the lag was large.',
  kinds: ['kafka'],
  run({ migration, atMs }) {
    if (migration === undefined) return { missing: 'migration' };
    return (migration?.topics ?? []).flatMap(
      ({ name, state, changedBy, changedMs, isCuttingOver, reason }) => {
        if (state !== 'PROXY' || changedBy !== 'timeout' || isCuttingOver || atMs - changedMs >= shownMs)
          return [];
        return [
          {
            entity: { kind: 'topic', name } as const,
            message: `Topic ${name}: the cut-over ended by its timeout${reason === '' ? '' : `: ${reason}`}`,
            sinceMs: changedMs,
            weight: changedMs,
          },
        ];
      },
    );
  },
});
