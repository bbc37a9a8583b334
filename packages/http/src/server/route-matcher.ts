import { HttpProblem } from './http-problem.ts';

/** What of a row of a table of routes decides which requests it takes. `{name}` in a path is any segment. */
interface MatchableRow {
  readonly method: string;
  readonly path: string;
}

/** A route with the values of its path. */
export interface MatchedRoute<Row extends MatchableRow> {
  readonly row: Row;
  readonly path: Readonly<Record<string, string | number>>;
}

interface Node<Row> {
  readonly literal: Map<string, Node<Row>>;
  /** Children of any segment. Rows of one path may name it differently, so names are those of the row. */
  any: Node<Row> | undefined;
  readonly rows: Map<string, Row>;
}

const idText = /^\d{1,10}$/;

/** Finds routes by segments, so that the time does not depend on the number of routes. */
export class RouteMatcher<Row extends MatchableRow> {
  readonly #root: Node<Row> = emptyNode();

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      let node = this.#root;
      for (const segment of segmentsOf(row.path)) {
        if (nameIn(segment) !== undefined) node = node.any ??= emptyNode();
        else node = childOf(node, segment);
      }
      if (node.rows.has(row.method)) throw new Error(`two routes for ${row.method} ${row.path}`);
      node.rows.set(row.method, row);
    }
  }

  /** Returns the methods of a path; none if there is no such path. */
  methodsOf(segments: readonly string[]): readonly string[] {
    return [...(find(this.#root, segments, 0)?.rows.keys() ?? [])];
  }

  /** Throws an `HttpProblem` with 404 or 405. */
  match(method: string, segments: readonly string[]): MatchedRoute<Row> {
    const node = find(this.#root, segments, 0);
    if (node === undefined) throw notFound();
    const row = node.rows.get(method);
    if (row === undefined) {
      const allow = allowedOf([...node.rows.keys()]);
      throw new HttpProblem(405, `${method} is not allowed here; allowed: ${allow}.`, { headers: { allow } });
    }
    const path: Record<string, string | number> = {};
    for (const [index, segment] of segmentsOf(row.path).entries()) {
      const name = nameIn(segment);
      if (name !== undefined) path[name] = name === 'id' ? idOf(segments[index]!) : segments[index]!;
    }
    return { row, path };
  }
}

/** The value of `Allow`. */
export function allowedOf(methods: readonly string[]): string {
  const head = methods.includes('GET') ? ['HEAD'] : [];
  return [...methods, ...head, 'OPTIONS'].join(', ');
}

function notFound(): HttpProblem {
  return new HttpProblem(404, 'HTTP 404 Not Found');
}

/** As in Confluent's registry, a path whose id is no integer does not exist. */
function idOf(text: string): number {
  const id = idText.test(text) ? Number(text) : Number.NaN;
  if (!(id <= 2 ** 31 - 1)) throw notFound();
  return id;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function nameIn(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}

function emptyNode<Row>(): Node<Row> {
  return { literal: new Map(), any: undefined, rows: new Map() };
}

function childOf<Row>(node: Node<Row>, segment: string): Node<Row> {
  let child = node.literal.get(segment);
  if (child === undefined) {
    child = emptyNode<Row>();
    node.literal.set(segment, child);
  }
  return child;
}

/** A literal segment wins, unless nothing lies below it. Paths have few segments, so the recursion is shallow. */
function find<Row>(node: Node<Row>, segments: readonly string[], at: number): Node<Row> | undefined {
  if (at === segments.length) return node.rows.size === 0 ? undefined : node;
  const literal = node.literal.get(segments[at]!);
  const found = literal === undefined ? undefined : find(literal, segments, at + 1);
  if (found !== undefined || node.any === undefined) return found;
  return find(node.any, segments, at + 1);
}
