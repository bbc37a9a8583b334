type ColumnType = typeof Uint8Array | typeof Int16Array | typeof Uint32Array | typeof Float64Array;

/** The columns of a task by name, in order, with the type that their bytes have. */
export type ColumnTypes = Readonly<Record<string, ColumnType>>;

export type ColumnsOf<Types extends ColumnTypes> = {
  readonly [Name in keyof Types]: Types[Name] extends typeof Uint8Array
    ? Uint8Array
    : Types[Name] extends typeof Int16Array
      ? Int16Array
      : Types[Name] extends typeof Uint32Array
        ? Uint32Array
        : Float64Array;
};

const lengthBytes = 4;

/**
 * Length of the head, head as JSON, columns. Jobs are passed on within minutes, between a leader and agents that know
 * the kind, and are stored nowhere. Columns have the byte order of the machine, which is the same on all that Weir runs
 * on.
 */
export function writeTaskColumns<Types extends ColumnTypes>(
  head: object,
  types: Types,
  columns: ColumnsOf<Types>,
): Uint8Array {
  const names = Object.keys(types);
  const rows = names.map((name) => columns[name]!.length);
  const headBytes = Buffer.from(JSON.stringify({ ...head, rows }));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(headBytes.length);
  const bytes = names.map((name) => {
    const column = columns[name]!;
    return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  });
  return Buffer.concat([length, headBytes, ...bytes]);
}

export function readTaskColumns<Head extends object, Types extends ColumnTypes>(
  task: Uint8Array,
  types: Types,
): { readonly head: Head; readonly columns: ColumnsOf<Types> } {
  const bytes = Buffer.from(task.buffer, task.byteOffset, task.byteLength);
  const headEnd = lengthBytes + bytes.readUInt32BE(0);
  const { rows, ...head } = JSON.parse(bytes.toString('utf8', lengthBytes, headEnd)) as Head & {
    readonly rows: readonly number[];
  };
  let at = headEnd;
  const read = Object.keys(types).map((name, index) => {
    const type = types[name]!;
    const byteLength = (rows[index] ?? 0) * type.BYTES_PER_ELEMENT;
    // Copied, because the bytes need not be aligned.
    const own = Uint8Array.prototype.slice.call(bytes, at, at + byteLength);
    at += byteLength;
    return [name, new type(own.buffer, 0, rows[index] ?? 0)];
  });
  if (at !== bytes.length) throw new RangeError('the columns of a compaction task do not fill it');
  return { head: head as unknown as Head, columns: Object.fromEntries(read) as ColumnsOf<Types> };
}
