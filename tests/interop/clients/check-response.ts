import assert from 'node:assert/strict';
import {
  type Api,
  type ApiName,
  type Apis,
  type Decoded,
  encodeResponse,
  type LayoutField,
  layoutOf,
} from '@weir/wire';
import { arbitraryMessage } from '@weir/wire/testing';
import fc from 'fast-check';
import { sampleRecords } from './fetched-records.ts';
import { type Differences, FieldComparison, type SummarizeTheirs } from './same-fields.ts';
import { mapFields, type Struct, withoutUnknownTags } from './struct.ts';

/** How a client's view of one API differs from the protocol. An API without a row must not differ. */
interface ResponseRow<Name extends ApiName> extends Differences {
  /** Returns the nearest response that the client shows unchanged. */
  readonly nearest?: (
    response: Decoded<Apis[Name]['response']>,
    version: number,
  ) => Decoded<Apis[Name]['response']>;
  /** Returns the client's object in the shape of the protocol, where renaming is not enough. */
  readonly reshaped?: (theirs: Struct, version: number) => Struct;
}

export type ResponseTable = { readonly [Name in ApiName]?: ResponseRow<Name> };

/** A row whose API is known only at run time, so that the compiler cannot infer the response type. */
interface AnyRow extends Differences {
  readonly nearest?: (response: Struct, version: number) => Struct;
  readonly reshaped?: (theirs: Struct, version: number) => Struct;
}

/** Properties of a client's decoder. */
interface ReaderTraits {
  readonly table: ResponseTable;
  readonly summarizeRecords: SummarizeTheirs;
  /** Error codes that the client knows; others are replaced by these. */
  readonly errorCodes: readonly number[];
  /** Whether the client skips unknown tagged fields. */
  readonly skipsUnknownTags: boolean;
}

const correlationId = 0x0102_0304;

/** Checks how one client decodes responses, and tracks which rows of its table are unused. */
export class ResponseChecker {
  private readonly traits: ReaderTraits;
  private readonly comparisons = new Map<string, FieldComparison>();

  constructor(traits: ReaderTraits) {
    this.traits = traits;
  }

  /**
   * Encodes responses of one version; the client must decode every field as written. `decode` gets the bytes after the
   * correlation id, because clients read that before they know the type of the response.
   */
  async check(api: Api, version: number, decode: (afterCorrelationId: Buffer) => unknown): Promise<void> {
    const { reshaped } = this.rowOf(api.name);
    const layout = layoutOf(api.response, version);
    const comparison = this.comparisonOf(api.name);
    await fc.assert(
      fc.asyncProperty(this.arbitraryResponse(api, version), async (response) => {
        const frame = Buffer.concat(encodeResponse(api, version, correlationId, response));
        assert.equal(frame.readInt32BE(0), frame.length - 4);
        assert.equal(frame.readInt32BE(4), correlationId);
        const theirs = (await decode(frame.subarray(8))) as Struct;
        const shown = reshaped === undefined ? theirs : reshaped(theirs, version);
        assert.deepEqual(comparison.mismatches(layout, response, shown), []);
      }),
      { seed: 830, numRuns: 30 },
    );
  }

  /** Returns the unused rows; call it after all versions were checked. */
  unneededRows(): readonly string[] {
    return Object.keys(this.traits.table).flatMap((name) => {
      const comparison = this.comparisons.get(name);
      return comparison === undefined ? [name] : comparison.unneeded().map((path) => `${name} ${path}`);
    });
  }

  private arbitraryResponse(api: Api, version: number): fc.Arbitrary<Struct> {
    const { nearest } = this.rowOf(api.name);
    const layout = layoutOf(api.response, version);
    return arbitraryMessage(api.response, version).map((response) => {
      const tagged = response as Struct;
      const known = this.traits.skipsUnknownTags ? tagged : withoutUnknownTags(layout, tagged);
      const readable = mapFields(layout, known, (field, value) => this.readable(field, value));
      return nearest === undefined ? readable : nearest(readable, version);
    });
  }

  private readable({ name, type }: LayoutField, value: unknown): unknown {
    if (type.kind === 'records') return sampleRecords(value as Buffer | null);
    if (type.kind === 'int16' && /errorCode$/i.test(name)) {
      const { errorCodes } = this.traits;
      return errorCodes[Math.abs(value as number) % errorCodes.length];
    }
    return value;
  }

  private rowOf(name: string): AnyRow {
    return (this.traits.table as Readonly<Record<string, AnyRow>>)[name] ?? {};
  }

  private comparisonOf(name: string): FieldComparison {
    let found = this.comparisons.get(name);
    if (found === undefined) {
      found = new FieldComparison(this.rowOf(name), this.traits.summarizeRecords);
      this.comparisons.set(name, found);
    }
    return found;
  }
}
