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

/** How a client's view of one API differs from the protocol. An API without a row is expected not to differ. */
interface ResponseRow<Name extends ApiName> extends Differences {
  /** The nearest response that the client shows as it is. */
  readonly nearest?: (
    response: Decoded<Apis[Name]['response']>,
    version: number,
  ) => Decoded<Apis[Name]['response']>;
  /** The client's object in the shape of the protocol, when names alone do not do. */
  readonly reshaped?: (theirs: Struct, version: number) => Struct;
}

export type ResponseTable = { readonly [Name in ApiName]?: ResponseRow<Name> };

/** A row when its name is only known at run time, so that the compiler cannot tell which response it takes. */
interface AnyRow extends Differences {
  readonly nearest?: (response: Struct, version: number) => Struct;
  readonly reshaped?: (theirs: Struct, version: number) => Struct;
}

/** What a client as a whole can read. */
interface ReaderTraits {
  readonly table: ResponseTable;
  readonly summarizeRecords: SummarizeTheirs;
  /** Error codes that the client understands; others are replaced by these. */
  readonly errorCodes: readonly number[];
  /** Whether the client gets over tagged fields that it does not know. */
  readonly skipsUnknownTags: boolean;
}

const correlationId = 0x0102_0304;

/** Judges responses of one client, and knows afterwards which rows of its table were of no use. */
export class ResponseChecker {
  private readonly traits: ReaderTraits;
  private readonly comparisons = new Map<string, FieldComparison>();

  constructor(traits: ReaderTraits) {
    this.traits = traits;
  }

  /**
   * Writes responses of one version; the client must read every field as it was written. `decode` gets what follows the
   * correlation id, for clients read that before they know which response they have.
   */
  async judge(api: Api, version: number, decode: (afterCorrelationId: Buffer) => unknown): Promise<void> {
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

  /** To be asked after all versions were judged. */
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
