/**
 * Finds rows by whole paths. A path that ends in a slash, other than `/`, is a prefix. An exact path wins over
 * prefixes, and a longer prefix over a shorter one.
 */
export class PathTable<Row extends { readonly path: string }> {
  readonly #rows: ReadonlyMap<string, readonly Row[]>;
  readonly #prefixes: readonly string[];

  constructor(rows: readonly Row[]) {
    this.#rows = Map.groupBy(rows, ({ path }) => path);
    this.#prefixes = [...this.#rows.keys()]
      .filter((path) => path.endsWith('/') && path !== '/')
      .toSorted((a, b) => b.length - a.length);
  }

  /** Returns the rows of the path that wins; none if there is no such path. */
  rowsAt(path: string): readonly Row[] {
    const found = this.#rows.has(path) ? path : this.#prefixes.find((prefix) => path.startsWith(prefix));
    return found === undefined ? [] : this.#rows.get(found)!;
  }
}
