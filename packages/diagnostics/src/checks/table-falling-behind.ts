import { defineCheck } from '../check.ts';
import { count, counted } from '../number-texts.ts';

/** Commits come after an hour at most; later than that, records wait for something else. */
const lateMs = 70 * 60_000;
const lateRecordsMin = 1;
const farMs = 6 * 3_600_000;

export const tableFallingBehind = defineCheck({
  name: 'table_falling_behind',
  type: 'pipelines',
  source: 'agent',
  severity: 'medium',
  title: 'A table falls behind',
  observes: `The age of the oldest record that a table does not have, as the agent that writes it reports it: ${count(lateMs / 60_000)} minutes or more, which is longer than any commit_interval; high from ${count(farMs / 3_600_000)} hours on.`,
  explanation:
    'Readers of the table see old rows. Records are lost for the table once its topic deletes them before they are read.',
  fix: 'Add agents to the data lake cluster: tables move to the one with the fewest, and each has a core to decode. If one table alone is late, look at its partitions: one that is stopped waits for another configuration, and one with most of the records is read by one agent. Raise the retention of the topic meanwhile.',
  kinds: ['data_lake'],
  run({ tables }) {
    if (tables === undefined) return { missing: 'tables' };
    return tables.flatMap(({ name, report }) => {
      const { ingestionLagMs = 0, lagRecords = 0 } = report ?? {};
      if (ingestionLagMs < lateMs || lagRecords < lateRecordsMin) return [];
      return [
        {
          entity: { kind: 'table', name } as const,
          ...(ingestionLagMs >= farMs ? { severity: 'high' as const } : {}),
          message: `Table ${name}: lacks ${counted(lagRecords, 'record')}, the oldest ${counted(Math.floor(ingestionLagMs / 60_000), 'minute')} old.`,
          weight: ingestionLagMs,
        },
      ];
    });
  },
});
