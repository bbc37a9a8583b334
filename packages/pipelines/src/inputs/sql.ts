import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { bool, list, mapping, string } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import type { Database, Row, Statement } from '../sql/database.ts';
import { argumentsFor } from '../sql/sql-arguments.ts';
import { checkSqlConnection, OpenedDatabase, sqlConnectionFields } from '../sql/sql-fields.ts';
import { sqlQuery } from '../sql/sql-query.ts';
import { selectText } from '../sql/sql-statements.ts';

/** The rows of one query, a message each. It ends after the last. */
class RowsInput implements Input {
  readonly #database: OpenedDatabase;
  readonly #statementFor: (database: Database) => Statement;
  #rows: AsyncIterator<readonly Row[]> | undefined;
  #read: readonly Row[] = [];
  #isEnded = false;
  #hasRows = false;

  constructor(database: OpenedDatabase, statementFor: (database: Database) => Statement) {
    this.#database = database;
    this.#statementFor = statementFor;
  }

  async read(): Promise<Delivery | undefined> {
    if (this.#read.length === 0 && !this.#isEnded) await this.#more();
    const [row, ...rest] = this.#read;
    this.#read = rest;
    return row && { batch: [new Message({ value: row })], settle() {} };
  }

  async close(): Promise<void> {
    await this.#rows?.return?.();
    await this.#database.close();
  }

  async #more(): Promise<void> {
    if (this.#rows === undefined) {
      const database = await this.#database.get();
      this.#rows = database.rows(this.#statementFor(database))[Symbol.asyncIterator]();
    }
    const isFirst = !this.#hasRows;
    try {
      const { done, value } = await this.#rows.next();
      if (done) this.#isEnded = true;
      else {
        this.#hasRows = true;
        this.#read = value;
      }
    } catch (error) {
      // A query that has returned rows is not executed again: its rows would be delivered twice, in another order.
      if (isFirst) this.#rows = undefined;
      else this.#isEnded = true;
      throw error;
    }
  }
}

const replays = bool('Whether messages that were not written are delivered again.').or(true);
const args = mapping('A mapping that returns the arguments as a list.').optional();

function opened(
  input: Input,
  { auto_replay_nacks }: { auto_replay_nacks: boolean },
  { clock }: ComponentContext,
): Input {
  return auto_replay_nacks ? new ReplayedInput(input, clock) : input;
}

export const sqlRawInput = componentOf('input', {
  name: 'sql_raw',
  connectionsCountedBy: 'itself',
  about: 'Executes a query and delivers a message for each row. It ends after the last.',
  fields: {
    ...sqlConnectionFields,
    query: sqlQuery('The query; it has `$1` (PostgreSQL) or `?` (SQLite) for arguments.'),
    args_mapping: args,
    auto_replay_nacks: replays,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    const input = new RowsInput(database, () => ({
      text: fields.query.text,
      args: argumentsFor(fields.args_mapping, [], 0, context),
    }));
    return opened(input, fields, context);
  },
});

export const sqlSelectInput = componentOf('input', {
  name: 'sql_select',
  connectionsCountedBy: 'itself',
  about: 'Reads rows of a table and delivers a message for each. It ends after the last.',
  fields: {
    ...sqlConnectionFields,
    table: string('The table.'),
    columns: list('The columns of the result; `*` for all.', string('A column.')).check((names) =>
      names.length === 0 ? 'has to name a column' : undefined,
    ),
    where: string('A condition, with `?` for arguments.').optional(),
    args_mapping: args,
    prefix: string('What is put before the query.').optional().advanced(),
    suffix: string('What is put after the query, such as `ORDER BY id`.').optional().advanced(),
    auto_replay_nacks: replays,
  },
  check: (fields, reading, place) => checkSqlConnection(fields, reading, place),
  async open(fields, context) {
    const database = await new OpenedDatabase(fields, context).verify();
    const input = new RowsInput(database, ({ placeholders }) => ({
      text: selectText(fields, placeholders),
      args: fields.where ? argumentsFor(fields.args_mapping, [], 0, context) : [],
    }));
    return opened(input, fields, context);
  },
});
