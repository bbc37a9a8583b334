import type { Mapping } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { eachMessageInTurn, eachMessageLater, failedBy } from '../component/failures.ts';
import { bool, list, mapping, string } from '../component/field-types.ts';
import type { Batch, Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { allRows, type SqlArgument, type Statement } from '../sql/database.ts';
import { argumentsFor } from '../sql/sql-arguments.ts';
import { checkSqlConnection, OpenedDatabase, sqlConnectionFields } from '../sql/sql-fields.ts';
import { queryTextFor, sqlQuery } from '../sql/sql-query.ts';
import { insertStatements, selectText } from '../sql/sql-statements.ts';

const { sqlRowsMax: rowsMax, sqlResultBytesMax: bytesMax } = pipelineLimits;

const columns = (about: string) =>
  list(about, string('A column.')).check((names) =>
    names.length === 0 ? 'has to name a column' : undefined,
  );
const prefix = string('What is put before the statement.').optional().advanced();
const suffix = string('What is put after the statement, such as `ON CONFLICT DO NOTHING`.')
  .optional()
  .advanced();

const sqlInsert = componentOf('processor', {
  name: 'sql_insert',
  about: 'Inserts a row for each message, those of a batch with one statement. Messages stay as they were.',
  fields: {
    ...sqlConnectionFields,
    table: string('The table.'),
    columns: columns('The columns that get values.'),
    args_mapping: mapping('A mapping that returns a list with a value for each column.'),
    prefix,
    suffix,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    return {
      async process(batch) {
        const { rows, messages } = rowsOf(fields.args_mapping, batch, context);
        const opened = await database.get();
        await opened.execute(insertStatements(fields, rows, opened));
        return [messages];
      },
      close: () => database.close(),
    };
  },
});

/** Messages whose arguments cannot be computed have failed, and the others have rows. */
function rowsOf(
  args: Mapping | undefined,
  batch: Batch,
  context: ComponentContext,
): { rows: SqlArgument[][]; messages: Message[] } {
  const rows: SqlArgument[][] = [];
  const messages = batch.map((message, index) => {
    try {
      rows.push(argumentsFor(args, batch, index, context));
      return message;
    } catch (error) {
      return failedBy(message, error, context, 'sql_insert');
    }
  });
  return { rows, messages };
}

const sqlSelect = componentOf('processor', {
  name: 'sql_select',
  about: 'Replaces each message by the rows of a query, as a list of objects.',
  fields: {
    ...sqlConnectionFields,
    table: string('The table.'),
    columns: columns('The columns of the result; `*` for all.'),
    where: string('A condition, with `?` for arguments.').optional(),
    args_mapping: mapping('A mapping that returns the arguments of `where` as a list.').optional(),
    prefix,
    suffix,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    return {
      process: (batch) =>
        eachMessageLater(batch, context, 'sql_select', async (message, index) => {
          const args = fields.where ? argumentsFor(fields.args_mapping, batch, index, context) : [];
          const opened = await database.get();
          const text = selectText(fields, opened.placeholders);
          return message.withValue(await allRows(opened, { text, args }, { rowsMax, bytesMax }));
        }),
      close: () => database.close(),
    };
  },
});

const sqlRaw = componentOf('processor', {
  name: 'sql_raw',
  about:
    'Executes a statement for each message, which is replaced by the rows of the result as a list of objects.',
  fields: {
    ...sqlConnectionFields,
    query: sqlQuery('The statement; it has `$1` (PostgreSQL) or `?` (SQLite) for arguments.'),
    unsafe_dynamic_query: bool(
      'Whether queries in the statement are evaluated. Values belong into arguments.',
    )
      .or(false)
      .advanced(),
    args_mapping: mapping('A mapping that returns the arguments as a list.').optional(),
    exec_only: bool('Whether there is no result, and messages stay as they were.').or(false),
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    return {
      // A statement may depend on what the one before has changed.
      process: (batch) =>
        eachMessageInTurn(batch, context, 'sql_raw', (message, index) => changed(message, index, batch)),
      close: () => database.close(),
    };

    async function changed(message: Message, index: number, batch: Batch): Promise<Message> {
      const statement: Statement = {
        text: queryTextFor(fields, batch, index, context),
        args: argumentsFor(fields.args_mapping, batch, index, context),
        isDynamic: fields.unsafe_dynamic_query,
      };
      const opened = await database.get();
      if (!fields.exec_only)
        return message.withValue(await allRows(opened, statement, { rowsMax, bytesMax }));
      await opened.execute([statement]);
      return message;
    }
  },
});

export const sqlProcessors = [sqlInsert, sqlSelect, sqlRaw];
