import { isObject } from '../event-object.ts';
import { eventLimits } from '../limits.ts';
import { type BuiltColumn, ColumnBuilder } from './column-builder.ts';
import { type Cell, searchedPaths } from './format.ts';

/** A node in the tree of keys that events have, with its column. */
interface Place {
  readonly path: readonly string[];
  readonly inner: Map<string, Place>;
  /** Absent at the root. */
  readonly column?: ColumnBuilder;
  /** The row of `cell`. */
  row: number;
  cell: Cell;
}

export interface BuiltStripe {
  readonly rows: number;
  readonly timesMs: Float64Array<ArrayBuffer>;
  readonly isReadable: Uint8Array<ArrayBuffer>;
  readonly isComplete: boolean;
  readonly columns: readonly { readonly path: readonly string[]; readonly column: BuiltColumn }[];
}

const searched = new Set(searchedPaths.map((path) => JSON.stringify(path)));

/** Builds columns from events, one after the other. */
export class StripeBuilder {
  readonly #rowsMax: number;
  readonly #timesMs: Float64Array<ArrayBuffer>;
  readonly #isReadable: Uint8Array<ArrayBuffer>;
  readonly #root: Place = { path: [], inner: new Map(), row: -1, cell: [] };
  readonly #places: Place[] = [];
  #isComplete = true;
  #rows = 0;
  /** Nodes whose cell in this row is not a single plain value. */
  #open: Place[] = [];

  constructor(rowsMax: number = eventLimits.sidecarStripeEventsMax) {
    this.#rowsMax = rowsMax;
    this.#timesMs = new Float64Array(rowsMax);
    this.#isReadable = new Uint8Array(rowsMax);
  }

  get rows(): number {
    return this.#rows;
  }

  get isFull(): boolean {
    return this.#rows === this.#rowsMax;
  }

  /** Adds a record; `undefined` if it is not a JSON object. */
  add(timeMs: number, event: Record<string, unknown> | undefined): void {
    this.#timesMs[this.#rows] = timeMs;
    if (event !== undefined) {
      this.#isReadable[this.#rows] = 1;
      this.#visit(event, this.#root, true);
      for (const { column, row, cell } of this.#open) {
        if (cell.length === 1 && typeof cell[0] !== 'object') column?.addScalar(row, cell[0]!);
        else if (cell.length > 0) column?.addCell(row, cell);
      }
      if (this.#open.length > 0) this.#open = [];
    }
    this.#rows++;
  }

  finish(): BuiltStripe {
    const rows = this.#rows;
    return {
      rows,
      timesMs: this.#timesMs.subarray(0, rows),
      isReadable: this.#isReadable.subarray(0, rows),
      isComplete: this.#isComplete,
      columns: this.#places.flatMap(({ path, column }) =>
        column === undefined ? [] : [{ path, column: column.finish(rows) }],
      ),
    };
  }

  /** `isAlone`: no array is on the path, so that each node within gets at most one value. */
  #visit(value: Record<string, unknown>, place: Place, isAlone: boolean): void {
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      const inner = value[key];
      if (inner === null) continue;
      const innerPlace = place.inner.get(key) ?? this.#newPlace(place, key);
      if (innerPlace === undefined) continue;
      if (Array.isArray(inner)) {
        for (const element of inner) {
          if (element === null) continue;
          this.#collect(innerPlace, element);
          if (isObject(element)) this.#visit(element, innerPlace, false);
        }
      } else if (typeof inner === 'object') {
        if (isAlone) innerPlace.column?.addCell(this.#rows, objectCell);
        else this.#collect(innerPlace, inner);
        this.#visit(inner as Record<string, unknown>, innerPlace, isAlone);
      } else if (isAlone) innerPlace.column?.addScalar(this.#rows, inner as string | number | boolean);
      else this.#collect(innerPlace, inner);
    }
  }

  #collect(place: Place, value: unknown): void {
    if (place.row !== this.#rows) {
      place.row = this.#rows;
      place.cell = [];
      this.#open.push(place);
    }
    place.cell.push(typeof value === 'object' ? {} : (value as string | number | boolean));
  }

  #newPlace(parent: Place, key: string): Place | undefined {
    const isFull = this.#places.length >= eventLimits.sidecarColumnsMax;
    if (isFull || parent.path.length >= eventLimits.sidecarPathKeysMax) {
      this.#isComplete = false;
      return undefined;
    }
    const path = [...parent.path, key];
    const column = new ColumnBuilder(this.#rowsMax, searched.has(JSON.stringify(path)));
    const place: Place = { path, inner: new Map(), column, row: -1, cell: [] };
    parent.inner.set(key, place);
    this.#places.push(place);
    return place;
  }
}

const objectCell: Cell = [{}];
