import { defineCheck } from '../check.ts';
import { lagSamplesMax } from '../history.ts';
import { count, counted } from '../number-texts.ts';

export const tableDeadLetters = defineCheck({
  name: 'table_dead_letters_growing',
  type: 'pipelines',
  source: 'agent',
  severity: 'medium',
  title: 'Records cannot be rows of a table',
  observes: `How many records of a table were kept or dropped over the last ${count(lagSamplesMax)} runs, because they could not be decoded, transformed or converted to its columns, or were too large.`,
  explanation:
    'The table lacks these records. With dlq_mode keep they wait for a replay until their retention ends; with skip they are gone for the table once the topic deletes them.',
  fix: 'Read the events of the type tableflow_logs: record_ingestion_failed names step, field and offset. Correct the producer, or deploy a configuration whose schema or transform takes the records, and replay those that were kept.',
  kinds: ['data_lake'],
  run({ tables }, history) {
    if (tables === undefined) return { missing: 'tables' };
    return tables.flatMap(({ name, tableUuid, report }) => {
      const { failed } = history.tables.get(tableUuid) ?? { failed: [] };
      const grown = (failed.at(-1) ?? 0) - (failed[0] ?? 0);
      if (grown === 0 || report === undefined) return [];
      const { keptRecordCount } = report;
      const kept = keptRecordCount > 0 ? `; ${counted(keptRecordCount, 'record')} kept` : '';
      return [
        {
          entity: { kind: 'table', name } as const,
          message: `Table ${name}: ${counted(grown, 'record')} could not be rows in the last ${counted(failed.length - 1, 'run')}${kept}.`,
          weight: grown,
        },
      ];
    });
  },
});
