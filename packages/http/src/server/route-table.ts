import { HttpProblem } from './http-problem.ts';

/** What of a row of a table of routes decides which requests it takes. */
interface TableRow {
  /** Absent if the row takes all of them. */
  readonly method?: string;
  /** `{name}` is any one segment. A path that ends in a slash, other than `/`, is a prefix. */
  readonly path: string;
}

/** A route with the values of its path. */
export interface MatchedRoute<Row extends TableRow> {
  readonly row: Row;
  readonly path: Readonly<Record<string, string | number>>;
}

interface Node<Row> {
  readonly literal: Map<string, Node<Row>>;
  /** Children of any segment. Rows of one path may name it differently, so names are those of the row. */
  any: Node<Row> | undefined;
  readonly rows: Row[];
  /** Rows for every path below. */
  readonly prefixRows: Row[];
}

const idText = /^\d{1,10}$/;

/**
 * Finds routes by segments, so that the time does not depend on the number of routes. A path of its own wins over
 * prefixes, a longer prefix over a shorter one, and a literal segment over `{name}`, unless nothing lies below it.
 */
export class RouteTable<Row extends TableRow> {
  readonly #root: Node<Row> = emptyNode();

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      let node = this.#root;
      for (const segment of segmentsOf(row.path)) {
        if (nameIn(segment) !== undefined) node = node.any ??= emptyNode();
        else node = childOf(node, segment);
      }
      const ofNode = isPrefix(row.path) ? node.prefixRows : node.rows;
      if (row.method !== undefined && ofNode.some(({ method }) => method === row.method))
        throw new Error(`two routes for ${row.method} ${row.path}`);
      ofNode.push(row);
    }
  }

  /** Returns the rows of a path as it is in a request; none if no route has it. */
  rowsAt(path: string): readonly Row[] {
    if (!path.startsWith('/')) return [];
    return find(this.#root, path === '/' ? [] : path.slice(1).split('/'), 0);
  }

  /** Returns the methods of a path; none if no route has it. */
  methodsOf(segments: readonly string[]): readonly string[] {
    return find(this.#root, segments, 0).flatMap(({ method = [] }) => method);
  }

  /** Returns the route of a request, or a problem with 404 or 405. */
  match(method: string, segments: readonly string[]): MatchedRoute<Row> | HttpProblem {
    const rows = find(this.#root, segments, 0);
    if (rows.length === 0) return notFound();
    const row = rows.find((one) => one.method === undefined || one.method === method);
    if (row === undefined) {
      const allow = allowedOf(this.methodsOf(segments));
      return new HttpProblem(405, `${method} is not allowed here; allowed: ${allow}.`, {
        headers: { allow },
      });
    }
    const path: Record<string, string | number> = {};
    for (const [index, segment] of segmentsOf(row.path).entries()) {
      const name = nameIn(segment);
      if (name === undefined) continue;
      const value = name === 'id' ? idOf(segments[index]!) : segments[index]!;
      if (value === undefined) return notFound();
      path[name] = value;
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

/** As in Confluent's registry, a path whose id is not an integer does not exist. */
function idOf(text: string): number | undefined {
  const id = idText.test(text) ? Number(text) : Number.NaN;
  return id <= 2 ** 31 - 1 ? id : undefined;
}

function isPrefix(path: string): boolean {
  return path.endsWith('/') && path !== '/';
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function nameIn(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}

function emptyNode<Row>(): Node<Row> {
  return { literal: new Map(), any: undefined, rows: [], prefixRows: [] };
}

function childOf<Row>(node: Node<Row>, segment: string): Node<Row> {
  let child = node.literal.get(segment);
  if (child === undefined) {
    child = emptyNode<Row>();
    node.literal.set(segment, child);
  }
  return child;
}

/** Routes have few segments, so the recursion is shallow. */
function find<Row>(node: Node<Row>, segments: readonly string[], at: number): readonly Row[] {
  if (at === segments.length) return node.rows;
  for (const child of [node.literal.get(segments[at]!), node.any]) {
    const rows = child === undefined ? [] : find(child, segments, at + 1);
    if (rows.length > 0) return rows;
  }
  return node.prefixRows;
}
