import type {
  DiagnosticChange,
  DiagnosticsStore,
  StoredDiagnostic,
  TransitionsQuery,
} from '@weir/diagnostics';
import { type DiagnosticRecord, diagnosticLimits, newRecord, type Transition } from '@weir/diagnostics';
import type { Database, DatabaseTransaction } from './database/schema.ts';

/** Rows per statement. SQLite takes 32,766 parameters and PostgreSQL 65,535; a row has at most five. */
const rowsPerStatementMax = 1_000;

/** Diagnostics in the database of accounts, for all processes of a control plane. */
export class SqlDiagnosticsStore implements DiagnosticsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(clusterId: string): Promise<readonly StoredDiagnostic[]> {
    const rows = await this.#database
      .selectFrom('weir_diagnostics')
      .select(['name', 'version', 'record'])
      .where('cluster_id', '=', clusterId)
      .execute();
    // Sorted here, because collations of databases differ.
    return rows
      .map(({ name, version, record }) => ({ record: parseRecord(clusterId, name, record), version }))
      .sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  }

  /**
   * One transaction for all changes. All processes write rows in the same order, first those that are new to them and
   * then the others, which avoids deadlocks.
   */
  async save(changes: readonly DiagnosticChange[]): Promise<readonly boolean[]> {
    if (changes.length === 0) return [];
    const inOrder = changes
      .map((change, index) => ({ ...change, index }))
      .sort((a, b) => compare(keyOf(a.record), keyOf(b.record)) || a.index - b.index);
    const saved = changes.map(() => false);
    await this.#database.transaction().execute(async (transaction) => {
      const inserted = await insertRecords(
        transaction,
        inOrder.filter(({ loadedVersion }) => loadedVersion === 0),
      );
      for (const change of inOrder) {
        saved[change.index] =
          change.loadedVersion === 0
            ? inserted.delete(keyOf(change.record))
            : await updateRecord(transaction, change);
      }
      const transitions = inOrder.flatMap((change) => (saved[change.index] ? change.transitions : []));
      await addTransitions(transaction, transitions);
    });
    return saved;
  }

  async transitions({ clusterId, name, after, limit }: TransitionsQuery): Promise<readonly Transition[]> {
    let query = this.#database
      .selectFrom('weir_diagnostic_transitions')
      .select('transition')
      .where('cluster_id', '=', clusterId);
    if (name !== undefined) query = query.where('name', '=', name);
    if (after !== undefined) {
      query = query.where((row) =>
        row.or([
          row('time_ms', '<', after.atMs),
          row.and([row('time_ms', '=', after.atMs), row('name', '>', after.name)]),
          row.and([
            row('time_ms', '=', after.atMs),
            row('name', '=', after.name),
            row('number', '<', after.number),
          ]),
        ]),
      );
    }
    const rows = await query
      .orderBy('time_ms', 'desc')
      .orderBy('name')
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ transition }) => JSON.parse(transition) as Transition);
  }

  async forget(clusterId: string): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('weir_diagnostics').where('cluster_id', '=', clusterId).execute();
      await transaction
        .deleteFrom('weir_diagnostic_transitions')
        .where('cluster_id', '=', clusterId)
        .execute();
    });
  }
}

/** Returns the keys of the records that no other process saved first. */
async function insertRecords(
  transaction: DatabaseTransaction,
  changes: readonly DiagnosticChange[],
): Promise<Set<string>> {
  const inserted = new Set<string>();
  for (let begin = 0; begin < changes.length; begin += rowsPerStatementMax) {
    const rows = changes.slice(begin, begin + rowsPerStatementMax).map(({ record }) => ({
      cluster_id: record.clusterId,
      name: record.name,
      version: 1,
      record: JSON.stringify(record),
    }));
    const returned = await transaction
      .insertInto('weir_diagnostics')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['cluster_id', 'name']).doNothing())
      .returning(['cluster_id', 'name'])
      .execute();
    for (const { cluster_id: clusterId, name } of returned) inserted.add(keyOf({ clusterId, name }));
  }
  return inserted;
}

/** Returns whether no other process saved first. */
async function updateRecord(
  transaction: DatabaseTransaction,
  { record, loadedVersion }: DiagnosticChange,
): Promise<boolean> {
  const { clusterId, name } = record;
  const { numUpdatedRows } = await transaction
    .updateTable('weir_diagnostics')
    .set({ version: loadedVersion + 1, record: JSON.stringify(record) })
    .where('cluster_id', '=', clusterId)
    .where('name', '=', name)
    .where('version', '=', loadedVersion)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function addTransitions(
  transaction: DatabaseTransaction,
  transitions: readonly Transition[],
): Promise<void> {
  const rows = transitions.map((transition) => ({
    cluster_id: transition.clusterId,
    name: transition.name,
    number: transition.number,
    time_ms: transition.atMs,
    transition: JSON.stringify(transition),
  }));
  for (let begin = 0; begin < rows.length; begin += rowsPerStatementMax) {
    const some = rows.slice(begin, begin + rowsPerStatementMax);
    await transaction.insertInto('weir_diagnostic_transitions').values(some).execute();
  }
  // Numbers have no gaps, so the number determines how many are newer.
  const newest = new Map(transitions.map((transition) => [keyOf(transition), transition]));
  for (const { clusterId, name, number } of newest.values()) {
    if (number < diagnosticLimits.diagnosticTransitionsMax) continue;
    await transaction
      .deleteFrom('weir_diagnostic_transitions')
      .where('cluster_id', '=', clusterId)
      .where('name', '=', name)
      .where('number', '<=', number - diagnosticLimits.diagnosticTransitionsMax)
      .execute();
  }
}

/** Fields that an earlier release did not have get the values of a new record. */
function parseRecord(clusterId: string, name: string, text: string): DiagnosticRecord {
  return { ...newRecord(clusterId, name, 0), ...(JSON.parse(text) as DiagnosticRecord) };
}

function keyOf({ clusterId, name }: { readonly clusterId: string; readonly name: string }): string {
  return `${clusterId} ${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
