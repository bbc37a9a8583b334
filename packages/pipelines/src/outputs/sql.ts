import { componentOf } from '../component/component-spec.ts';
import { bool, list, mapping, string } from '../component/field-types.ts';
import { BatchFailure } from '../component/instances.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import type { SqlArgument } from '../sql/database.ts';
import { argumentsFor } from '../sql/sql-arguments.ts';
import { checkSqlConnection, OpenedDatabase, sqlConnectionFields } from '../sql/sql-fields.ts';
import { queryTextFor, sqlQuery } from '../sql/sql-query.ts';
import { insertStatements } from '../sql/sql-statements.ts';

export const sqlInsertOutput = componentOf('output', {
  name: 'sql_insert',
  connectionsCountedBy: 'itself',
  about: 'Inserts a row for each message, those of a batch with one statement.',
  fields: {
    ...sqlConnectionFields,
    table: string('The table.'),
    columns: list('The columns that get values.', string('A column.')).check((names) =>
      names.length === 0 ? 'has to name a column' : undefined,
    ),
    args_mapping: mapping('A mapping that returns a list with a value for each column.'),
    prefix: string('What is put before the statement.').optional().advanced(),
    suffix: string('What is put after the statement, such as `ON CONFLICT DO NOTHING`.')
      .optional()
      .advanced(),
    max_in_flight: maxInFlight.or(64),
    batching,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    const output = {
      async write(batch: Parameters<typeof argumentsFor>[1]) {
        const failed = new Map<number, Error>();
        const rows: SqlArgument[][] = [];
        for (const index of batch.keys()) {
          try {
            rows.push(argumentsFor(fields.args_mapping, batch, index, context));
          } catch (error) {
            failed.set(index, error as Error);
          }
        }
        const opened = await database.get();
        await opened.execute(insertStatements(fields, rows, opened));
        if (failed.size > 0) throw new BatchFailure(failed);
      },
      close: () => database.close(),
    };
    return pacedOutput(output, fields, context);
  },
});

export const sqlRawOutput = componentOf('output', {
  name: 'sql_raw',
  connectionsCountedBy: 'itself',
  about: 'Executes a statement for each message.',
  fields: {
    ...sqlConnectionFields,
    query: sqlQuery('The statement; it has `$1` (PostgreSQL) or `?` (SQLite) for arguments.'),
    unsafe_dynamic_query: bool(
      'Whether queries in the statement are evaluated. Values belong into arguments.',
    )
      .or(false)
      .advanced(),
    args_mapping: mapping('A mapping that returns the arguments as a list.').optional(),
    max_in_flight: maxInFlight.or(64),
    batching,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    const output = {
      async write(batch: Parameters<typeof argumentsFor>[1]) {
        const opened = await database.get();
        const failed = new Map<number, Error>();
        // One after the other: a statement may depend on what the one before has changed.
        for (const index of batch.keys()) {
          try {
            const args = argumentsFor(fields.args_mapping, batch, index, context);
            const text = queryTextFor(fields, batch, index, context);
            await opened.execute([{ text, args, isDynamic: fields.unsafe_dynamic_query }]);
          } catch (error) {
            failed.set(index, error as Error);
          }
        }
        if (failed.size > 0) throw new BatchFailure(failed);
      },
      close: () => database.close(),
    };
    return pacedOutput(output, fields, context);
  },
});
