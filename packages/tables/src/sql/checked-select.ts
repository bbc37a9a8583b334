/**
 * What a query reads, from its syntax tree as DuckDB prints it: one SELECT over tables of the cluster. Functions that
 * read files, or show what the process is, are refused by name before anything runs. The settings of the process, which
 * allow no files but those of the tables, would refuse them too.
 */
import { SqlRefused } from './sql-errors.ts';
import type { ParsedSql, SqlCondition } from './sql-messages.ts';

type Node = { readonly [key: string]: unknown };

/** Functions that make rows of nothing but their arguments. */
const tableFunctions = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
]);

/** Scalar functions that show what the process is, or write to its log. */
const refusedFunctions = new Set([
  'current_setting',
  'getenv',
  'write_log',
  'checkpoint',
  'force_checkpoint',
]);

/** The answer of `json_serialize_sql`. */
export function checkedSelect(sql: string, serialized: string, tableNames: readonly string[]): ParsedSql {
  const tree = JSON.parse(serialized) as Node;
  if (tree.error === true) throw refusalOf(sql, tree);
  const statements = tree.statements as readonly Node[];
  const [statement, ...others] = statements;
  if (statement === undefined) throw new SqlRefused('the query is empty; write a SELECT');
  if (others.length > 0)
    throw new SqlRefused(`there are ${statements.length} statements; one SELECT is run at a time`);
  const found = new Set<string>();
  const byName = new Map(tableNames.map((name) => [name.toLowerCase(), name]));
  const named = new Set<string>();
  const references: Node[] = [];
  for (const node of nodesOf(statement)) {
    if (isMap(node.cte_map)) for (const name of cteNames(node.cte_map)) named.add(name.toLowerCase());
    if (node.type === 'SHOW_REF' && node.query === null)
      throw new SqlRefused('SHOW: not available; DESCRIBE and SUMMARIZE are, with the name of a table');
    if (node.type === 'BASE_TABLE' && typeof node.table_name === 'string') references.push(node);
    else if (node.type === 'TABLE_FUNCTION') checkTableFunction(node);
    else if (node.class === 'FUNCTION') checkFunction(String(node.function_name));
  }
  for (const { table_name, schema_name, catalog_name } of references) {
    const name = String(table_name);
    const isQualified = (schema_name ?? '') !== '' || (catalog_name ?? '') !== '';
    const table = isQualified ? undefined : byName.get(name.toLowerCase());
    if (table !== undefined) found.add(table);
    else if (isQualified || !named.has(name.toLowerCase()))
      throw unknownTable([catalog_name, schema_name, name].filter((part) => (part ?? '') !== '').join('.'));
  }
  return { tables: [...found].sort(), conditions: conditionsOf(statement, byName) };
}

function checkTableFunction(node: Node): void {
  const name = String((node.function as Node | null)?.function_name ?? '').toLowerCase();
  if (!tableFunctions.has(name))
    throw new SqlRefused(
      `${name.slice(0, 100)}(): no such function may be used here; queries read tables of the cluster`,
    );
}

function checkFunction(name: string): void {
  const lower = name.toLowerCase();
  if (refusedFunctions.has(lower) || /^(?:duckdb_|pragma_|pg_)/.test(lower))
    throw new SqlRefused(`${lower.slice(0, 100)}(): the function may not be used here`);
}

function unknownTable(name: string): SqlRefused {
  return new SqlRefused(
    `there is no table "${name.slice(0, 200)}" in the cluster; a name with dots or dashes needs double quotes`,
  );
}

function refusalOf(sql: string, { error_type, error_message, position }: Node): SqlRefused {
  if (error_type !== 'parser' && /only select statements/i.test(String(error_message)))
    return new SqlRefused('only SELECT can be run; tables are written by their pipelines');
  const [message] = String(error_message).split('\n');
  const at = Number(position);
  if (!Number.isSafeInteger(at) || position === undefined || position === '')
    return new SqlRefused(message!.slice(0, 500));
  const before = [...sql].slice(0, at).join('').split('\n');
  return new SqlRefused(
    `line ${before.length}, column ${before.at(-1)!.length + 1}: ${message!.slice(0, 500)}`,
  );
}

function isMap(value: unknown): value is { readonly map: readonly Node[] } {
  return Array.isArray((value as { readonly map?: unknown } | null | undefined)?.map);
}

function cteNames({ map }: { readonly map: readonly Node[] }): string[] {
  return map.map(({ key }) => String(key));
}

/** All objects of the tree. It is as deep as DuckDB lets expressions be. */
function* nodesOf(root: Node): Generator<Node> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (Array.isArray(one)) waiting.push(...one);
    else if (typeof one === 'object' && one !== null) {
      yield one as Node;
      for (const value of Object.values(one))
        if (typeof value === 'object' && value !== null) waiting.push(value);
    }
  }
}

const comparisons: Readonly<Record<string, readonly [op: SqlCondition['op'], turned: SqlCondition['op']]>> = {
  COMPARE_EQUAL: ['=', '='],
  COMPARE_LESSTHAN: ['<', '>'],
  COMPARE_LESSTHANOREQUALTO: ['<=', '>='],
  COMPARE_GREATERTHAN: ['>', '<'],
  COMPARE_GREATERTHANOREQUALTO: ['>=', '<='],
};

/**
 * Conditions that let files be left out: those of a query over one table alone, whose parts are joined by AND. Anything
 * else leaves out nothing.
 */
function conditionsOf(statement: Node, byName: ReadonlyMap<string, string>): SqlCondition[] {
  const node = statement.node as Node | undefined;
  if (node?.type !== 'SELECT_NODE') return [];
  const from = node.from_table as Node | undefined;
  if (from?.type !== 'BASE_TABLE') return [];
  const references = [...nodesOf(statement)].filter(({ type }) => type === 'BASE_TABLE');
  // A table that is also read elsewhere in the query needs all of its files.
  if (references.length !== 1) return [];
  const table = byName.get(String(from.table_name).toLowerCase());
  if (table === undefined) return [];
  const names = new Set([String(from.alias ?? '').toLowerCase(), String(from.table_name).toLowerCase()]);
  return andedParts(node.where_clause as Node | null).flatMap((part) => {
    const operators = comparisons[String(part.type)];
    if (operators === undefined || part.class !== 'COMPARISON') return [];
    const { left, right } = part as { readonly left: Node; readonly right: Node };
    for (const [column, constant, op] of [
      [left, right, operators[0]],
      [right, left, operators[1]],
    ] as const) {
      const name = columnOf(column, names);
      const value = constantOf(constant);
      if (name !== undefined && value !== undefined) return [{ table, column: name, op, value }];
    }
    return [];
  });
}

function andedParts(where: Node | null | undefined): Node[] {
  if (where === null || where === undefined) return [];
  if (where.type !== 'CONJUNCTION_AND') return [where];
  return (where.children as readonly Node[]).flatMap(andedParts);
}

function columnOf(node: Node, tables: ReadonlySet<string>): string | undefined {
  if (node.class !== 'COLUMN_REF') return undefined;
  const names = node.column_names as readonly string[];
  if (names.length === 1) return names[0];
  return names.length === 2 && tables.has(names[0]!.toLowerCase()) ? names[1] : undefined;
}

/** Types of texts that may be written in front of them, such as TIMESTAMP '2026-01-01', and what the text must be. */
const writtenTypes: Readonly<Record<string, RegExp>> = {
  DATE: /^\d{4}-\d\d-\d\d$/,
  TIMESTAMP: /./,
  'TIMESTAMP WITH TIME ZONE': /./,
};

function constantOf(node: Node): string | number | undefined {
  if (node.class === 'CAST') {
    const text = constantOf(node.child as Node);
    const { id } = node.cast_type as { readonly id: string };
    return typeof text === 'string' && writtenTypes[id]?.test(text) ? text : undefined;
  }
  if (node.class !== 'CONSTANT') return undefined;
  const { type, is_null, value } = node.value as Node;
  const { id } = type as { readonly id: string };
  if (is_null === true) return undefined;
  if (id === 'VARCHAR') return typeof value === 'string' ? value : undefined;
  const isInteger = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'].includes(id);
  return isInteger && Number.isSafeInteger(value) ? (value as number) : undefined;
}
