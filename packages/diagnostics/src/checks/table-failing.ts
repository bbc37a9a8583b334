import type { TableErrorCause } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import type { TableFacts } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';
import { failuresMin } from '../pipeline-instances.ts';

const subjects: Readonly<Record<TableErrorCause, string>> = {
  source: 'its source cluster cannot be read',
  records: 'its records cannot be rows',
  storage: 'its bucket refuses it',
  catalog: 'its catalog refuses it',
  other: 'it cannot be written',
};

export const tableFailing = defineCheck({
  name: 'table_failing',
  type: 'pipelines',
  source: 'agent',
  severity: 'high',
  title: 'A table is not written',
  observes:
    'Tables whose job failed three times in a row or needs an operator, whose agent could not read or commit when it last tried, or of which partitions of the topic are stopped by dlq_mode stop.',
  explanation:
    'No rows are added until the cause is gone; then the table continues where it stopped. Records are lost for it if the topic deletes them before.',
  fix: 'Read the error. If the bucket refuses, give the agents the rights to read, write, list and delete below service/_tableflow/. If the source refuses, check its address, its certificates and the variables with its credentials. A stopped partition waits for a configuration that takes its next record: deploy one, or set dlq_mode to keep.',
  kinds: ['data_lake'],
  run({ tables }) {
    if (tables === undefined) return { missing: 'tables' };
    return tables.flatMap((table) => {
      const problem = problemOf(table);
      if (problem === undefined) return [];
      const isPart = problem.startsWith('partition');
      return [
        {
          entity: { kind: 'table', name: table.name } as const,
          ...(isPart ? { severity: 'medium' as const } : {}),
          message: `Table ${table.name}: ${problem}`,
          weight: table.failureCount + 1,
        },
      ];
    });
  },
});

function problemOf({ state, failureCount, message, report }: TableFacts): string | undefined {
  if (state === 'stopped' || (state === 'failing' && failureCount >= failuresMin))
    return `failed ${counted(failureCount, 'time')} in a row: ${message}`;
  if (report === undefined) return undefined;
  const { isFailing, lastError = 'no reason is known', lastErrorCause = 'other' } = report;
  // It has a check of its own.
  if (isFailing && report.isDenied === true) return undefined;
  if (isFailing) return `${subjects[lastErrorCause]}: ${lastError}`;
  const { stoppedPartitionCount, partitionCount } = report;
  if (stoppedPartitionCount === 0) return undefined;
  return `partitions are stopped: ${stoppedPartitionCount} of ${partitionCount}; ${lastError}`;
}
