import type { AvroType, RecordType } from './avro-type.ts';

/** What the values of a type are in bytes. */
export interface Contents {
  /**
   * - `bytes`: values take bytes
   * - `empty`: they take none, so that any number of them fits in a payload
   * - `endless`: the type contains itself with nothing in between that could end it, so that it has no values
   */
  readonly kind: 'bytes' | 'empty' | 'endless';
  /** Values inside each other in an empty value, itself included. */
  readonly emptyValues: number;
}

const someBytes: Contents = { kind: 'bytes', emptyValues: 0 };
const emptyLeaf: Contents = { kind: 'empty', emptyValues: 1 };
const endless: Contents = { kind: 'endless', emptyValues: 0 };

interface OpenRecord {
  readonly record: RecordType;
  next: number;
}

/** Classifies types, each record once. Without recursion, because records may nest by name very deeply. */
export class RecordContents {
  readonly #known = new Map<RecordType, Contents | 'open'>();

  of(type: AvroType): Contents {
    if (type.kind !== 'record') return ofLeaf(type);
    const open: OpenRecord[] = this.#known.has(type) ? [] : [{ record: type, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      this.#known.set(top.record, 'open');
      const field = top.record.fields[top.next];
      top.next += 1;
      if (field === undefined) {
        this.#known.set(top.record, this.#ofRecord(top.record));
        open.pop();
      } else if (field.type.kind === 'record' && !this.#known.has(field.type)) {
        open.push({ record: field.type, next: 0 });
      }
    }
    return this.#known.get(type) as Contents;
  }

  #ofRecord(record: RecordType): Contents {
    let emptyValues = 1;
    let hasBytes = false;
    for (const { type } of record.fields) {
      const contents = type.kind === 'record' ? this.#known.get(type)! : ofLeaf(type);
      if (contents === 'open' || contents.kind === 'endless') return endless;
      hasBytes ||= contents.kind === 'bytes';
      emptyValues += contents.emptyValues;
    }
    return hasBytes ? someBytes : { kind: 'empty', emptyValues };
  }
}

function ofLeaf(type: AvroType): Contents {
  const isEmpty = type.kind === 'null' || (type.kind === 'fixed' && type.sizeBytes === 0);
  return isEmpty ? emptyLeaf : someBytes;
}
