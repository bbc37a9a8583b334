import assert from 'node:assert/strict';
import {
  type Api,
  type ApiName,
  type Apis,
  decodeRequestBody,
  decodeRequestHeader,
  encodeRequest,
  layoutOf,
  type RequestOf,
} from '@weir/wire';
import { arbitraryMessage } from '@weir/wire/testing';
import fc from 'fast-check';
import { hasField, mapFields, type Struct, withoutUnknownTags } from './struct.ts';

export interface RequestHeader {
  readonly correlationId: number;
  readonly clientId: string | null;
}

/** How a client is called for one API, in all versions that the client has. */
interface RequestRow<Name extends ApiName, Options> {
  /** Returns the nearest request that the client can express; absent if it can express all. */
  readonly nearest?: (request: RequestOf<Apis[Name]>, version: number) => RequestOf<Apis[Name]>;
  /**
   * Nullable fields of the client by path, with their first version. They are null in half of the requests: the
   * generator only produces null where Weir's definition allows it, and so would never find a null that Weir wrongly
   * rejects.
   */
  readonly nulls?: Readonly<Record<string, number>>;
  /** Returns the options with which the client sends this request. */
  readonly options: (request: RequestOf<Apis[Name]>, version: number) => Options;
  /** Returns what to compare of a decoded request, instead of the request itself. */
  readonly compared?: (request: RequestOf<Apis[Name]>) => RequestOf<Apis[Name]>;
}

export type RequestTable<Options> = { readonly [Name in ApiName]?: RequestRow<Name, Options> };

/** A row whose API is known only at run time, so that the compiler cannot infer the request type. */
interface AnyRow<Options> {
  readonly nearest?: (request: Struct, version: number) => Struct;
  readonly nulls?: Readonly<Record<string, number>>;
  readonly options: (request: Struct, version: number) => Options;
  readonly compared?: (request: Struct) => Struct;
}

export function rowOf<Options>(table: RequestTable<Options>, name: string): AnyRow<Options> {
  const row = (table as Readonly<Record<string, AnyRow<Options>>>)[name];
  assert.ok(row, `${name} has no row in the table of requests`);
  return row;
}

const arbitraryHeader: fc.Arbitrary<RequestHeader> = fc.record({
  correlationId: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
  clientId: fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }), { nil: null }),
});

/**
 * Lets the client encode requests of one version and decodes them: the values must match, and Weir's re-encoding must
 * be the same bytes.
 */
export async function checkRequests<Options>(
  api: Api,
  version: number,
  row: AnyRow<Options>,
  encode: (header: RequestHeader, options: Options) => Promise<Buffer>,
): Promise<void> {
  const { options, compared = same } = row;
  await fc.assert(
    fc.asyncProperty(arbitraryHeader, arbitraryRequest(api, version, row), async (header, request) => {
      const frame = await encode(header, options(request, version));
      const message = frame.subarray(4);
      assert.equal(frame.readInt32BE(), message.length);
      const { bodyStart, api: found, ...envelope } = decodeRequestHeader(message);
      assert.equal(found, api);
      assert.deepEqual(envelope, { ...header, apiKey: api.key, apiVersion: version });
      const { body: decoded, surplusBytes } = decodeRequestBody(api, version, message, bodyStart);
      assert.equal(surplusBytes, 0);
      assert.deepEqual(compared(decoded), request);
      assert.deepEqual(Buffer.concat(encodeRequest(api, version, header, decoded)), frame);
    }),
    { seed: 830, numRuns: 30 },
  );
}

function arbitraryRequest(
  api: Api,
  version: number,
  { nearest = same, nulls = {} }: AnyRow<unknown>,
): fc.Arbitrary<Struct> {
  const layout = layoutOf(api.request, version);
  for (const [path, since] of Object.entries(nulls)) {
    const first = layoutOf(api.request, Math.max(since, api.versions.lowest));
    assert.ok(hasField(first, path), `${api.name} has no ${path} in v${since}`);
  }
  const isNull = (path: string) => version >= (nulls[path] ?? Number.POSITIVE_INFINITY);
  return fc.tuple(arbitraryMessage(api.request, version), fc.boolean()).map(([generated, hasNulls]) => {
    const request = withoutUnknownTags(layout, generated as Struct);
    return nearest(
      hasNulls ? mapFields(layout, request, (field, value) => (isNull(field.path) ? null : value)) : request,
      version,
    );
  });
}

function same(request: Struct): Struct {
  return request;
}
