import { eventLimits } from '../limits.ts';
import { hashesOf } from './bloom.ts';
import type { Cell } from './format.ts';

type Scalar = string | number | boolean;

/** A finished column. */
export type BuiltColumn =
  | {
      readonly kind: 'codes';
      readonly missing: number;
      /** Cell 0 is the empty one. */
      readonly cells: readonly Cell[];
      readonly codes: Uint16Array<ArrayBuffer>;
    }
  | { readonly kind: 'numbers'; readonly missing: number; readonly numbers: Float64Array<ArrayBuffer> }
  | { readonly kind: 'opaque'; readonly missing: number; readonly hashes?: Uint32Array | undefined };

/**
 * One field of a stripe during the build. It begins with a dictionary. When the dictionary gets too large it continues
 * with numbers alone, if there is nothing else, and otherwise only counts. Memory is bounded by the rows of a stripe
 * and by the dictionary.
 */
export class ColumnBuilder {
  readonly #rowsMax: number;
  readonly #isSearched: boolean;
  #codes: Uint16Array<ArrayBuffer> | undefined;
  #numbers: Float64Array<ArrayBuffer> | undefined;
  /** Cells of one value are keyed by the value, others by their JSON. */
  #ofScalar = new Map<Scalar, number>();
  #ofJson = new Map<string, number>();
  #cells: Cell[] = [[]];
  #cellChars = 0;
  #areNumbers = true;
  #present = 0;
  #hashes: number[] = [];

  constructor(rowsMax: number, isSearched: boolean) {
    this.#rowsMax = rowsMax;
    this.#isSearched = isSearched;
    this.#codes = new Uint16Array(rowsMax);
  }

  /** Adds the single value of a field in a row. */
  addScalar(row: number, value: Scalar): void {
    this.#present++;
    this.#hash(value);
    if (this.#codes !== undefined) {
      const code = this.#ofScalar.get(value) ?? this.#newCell([value], this.#ofScalar, value);
      if (code !== undefined) {
        this.#codes[row] = code;
        return;
      }
      this.#leaveDictionary();
    }
    if (this.#numbers === undefined) return;
    if (typeof value === 'number') this.#numbers[row] = value;
    else this.#numbers = undefined;
  }

  /** Adds a cell that is not a single value: an object, or the contents of an array. */
  addCell(row: number, cell: Cell): void {
    this.#present++;
    for (const value of cell) this.#hash(value);
    if (this.#codes !== undefined) {
      const json = JSON.stringify(cell);
      const code = this.#ofJson.get(json) ?? this.#newCell(cell, this.#ofJson, json);
      if (code !== undefined) {
        this.#codes[row] = code;
        return;
      }
      this.#leaveDictionary();
    }
    this.#numbers = undefined;
  }

  finish(rows: number): BuiltColumn {
    const missing = rows - this.#present;
    const hasHashes = this.#isSearched && this.#hashes.length <= 4 * this.#rowsMax;
    if (this.#codes !== undefined)
      return { kind: 'codes', missing, cells: this.#cells, codes: this.#codes.subarray(0, rows) };
    if (this.#numbers !== undefined)
      return { kind: 'numbers', missing, numbers: this.#numbers.subarray(0, rows) };
    return { kind: 'opaque', missing, hashes: hasHashes ? Uint32Array.from(this.#hashes) : undefined };
  }

  /** Arrays may have any number of values; beyond two per event there is no bloom filter. */
  #hash(value: Cell[number]): void {
    if (!this.#isSearched || typeof value === 'object' || this.#hashes.length > 4 * this.#rowsMax) return;
    this.#hashes.push(...hashesOf(value));
  }

  #newCell<Key>(cell: Cell, codes: Map<Key, number>, key: Key): number | undefined {
    const chars = typeof key === 'string' ? key.length + 4 : 24;
    const isFull =
      this.#cells.length >= eventLimits.sidecarDictionaryMax ||
      this.#cellChars + chars > eventLimits.sidecarDictionaryCharsMax;
    if (isFull || cell.some(isEndless)) return undefined;
    const code = this.#cells.length;
    this.#cells.push(cell);
    this.#cellChars += chars;
    this.#areNumbers &&= cell.length === 1 && typeof cell[0] === 'number';
    codes.set(key, code);
    return code;
  }

  #leaveDictionary(): void {
    if (this.#areNumbers) {
      const codes = this.#codes!;
      const ofCode = Float64Array.from(this.#cells, ([value]) =>
        value === undefined ? Number.NaN : Number(value),
      );
      this.#numbers = new Float64Array(this.#rowsMax);
      for (let row = 0; row < this.#rowsMax; row++) this.#numbers[row] = ofCode[codes[row]!]!;
    }
    this.#codes = undefined;
    this.#ofScalar = new Map();
    this.#ofJson = new Map();
    this.#cells = [];
  }
}

/** `1e999` is a number of JSON that `JSON.stringify` cannot write. */
function isEndless(value: Cell[number]): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
