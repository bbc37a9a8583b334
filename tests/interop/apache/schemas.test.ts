import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type Api,
  apis,
  layoutOf,
  type Message,
  requestHeader,
  requestHeaderVersion,
  responseHeader,
  responseHeaderVersion,
} from '@weir/wire';
import { type ApacheApi, type ApacheSchemas, type ApacheVersion, apacheSchemas } from './java-client.ts';
import { missingTool } from './tools.ts';
import { versionsOf } from './versions-of.ts';
import { fromApache, fromLayout, rowsOf, type WireRow } from './wire-form.ts';

/**
 * APIs that Apache's brokers serve and Weir does not define, with the reason. APIs of a new release need a decision.
 */
const notDefined: Readonly<Record<string, string>> = {
  InitializeShareGroupState: 'passes between brokers, to keep the state of share groups',
  ReadShareGroupState: 'passes between brokers, to keep the state of share groups',
  WriteShareGroupState: 'passes between brokers, to keep the state of share groups',
  DeleteShareGroupState: 'passes between brokers, to keep the state of share groups',
  ReadShareGroupStateSummary: 'passes between brokers, to keep the state of share groups',
};

const ours: readonly Api[] = Object.values(apis);

describe("definitions against Apache's schemas", { skip: missingTool() }, () => {
  let schemas: ApacheSchemas;
  const compared = { apis: 0, versions: 0, rows: 0 };

  before(() => {
    schemas = apacheSchemas();
  });

  for (const api of ours) {
    it(`${api.name} (key ${api.key})`, () => {
      compared.apis += 1;
      const theirs = schemas.apis.find(({ key }) => key === api.key);
      assert.ok(theirs !== undefined, `Apache has no API with key ${api.key}`);
      assert.deepEqual(rangesOfOurs(api), rangesOfApache(theirs));
      assertSame(api.request, theirs.request);
      assertSame(api.response, theirs.response);
    });
  }

  it('request header', () => {
    assertSame(requestHeader, schemas.requestHeader, {
      requestApiKey: 'apiKey',
      requestApiVersion: 'apiVersion',
    });
  });

  it('response header', () => {
    assertSame(responseHeader, schemas.responseHeader);
  });

  it('every API of a broker is defined, or named with the reason why not', () => {
    const theirs = schemas.apis
      .filter(({ listeners }) => listeners.includes('BROKER'))
      .map(({ name }) => name);
    assert.deepEqual(theirs.toSorted(), [...Object.keys(apis), ...Object.keys(notDefined)].toSorted());
  });

  it('has looked at everything', (context) => {
    assert.equal(compared.apis, ours.length);
    context.diagnostic(
      `${compared.apis} APIs and 2 headers, ${compared.versions} message versions, ${compared.rows} rows compared`,
    );
  });

  function assertSame(message: Message, theirs: readonly ApacheVersion[], renamed: Renamed = {}): void {
    const differences = differencesOf(message, theirs, renamed);
    if (differences.length > 0) assert.fail(differences.join('\n'));
  }

  /** Returns one line per row in which a version differs, or one about the version range if it differs. */
  function differencesOf(
    message: Message,
    theirs: readonly ApacheVersion[],
    renamed: Renamed,
  ): readonly string[] {
    const ourVersions = versionsOf(message);
    const theirVersions = theirs.map(({ version }) => version);
    if (ourVersions.join() !== theirVersions.join()) {
      return [`${message.name}: ours has versions ${ourVersions}, Apache's ${theirVersions}`];
    }
    return theirs.flatMap(({ version, struct }) => {
      const ourRows = rowsOf(fromLayout(layoutOf(message, version)));
      const theirRows = rowsOf(fromApache(struct)).map(({ path, type }) => ({
        path: renamed[path] ?? path,
        type,
      }));
      compared.versions += 1;
      compared.rows += theirRows.length;
      return rowDifferences(ourRows, theirRows).map(
        (difference) => `${message.name} v${version}, ${difference}`,
      );
    });
  }
});

/** Apache's name to Weir's, where they differ. */
type Renamed = Readonly<Record<string, string>>;

/** Served and advertised versions of an API, and their header versions. */
interface Ranges {
  readonly name: string;
  readonly served: readonly number[];
  readonly offered: readonly number[];
  readonly highestStable: number;
  readonly headers: ApacheApi['headers'];
}

function rangesOfOurs(api: Api): Ranges {
  return {
    name: api.name,
    served: [api.versions.lowest, api.versions.highest],
    offered: [api.lowestAdvertisedVersion, api.highestStableVersion],
    highestStable: api.highestStableVersion,
    headers: versionsOf(api.request).map((version) => ({
      version,
      request: requestHeaderVersion(api, version),
      response: responseHeaderVersion(api, version),
    })),
  };
}

function rangesOfApache(api: ApacheApi): Ranges {
  return {
    name: api.name,
    served: [api.lowest, api.highest],
    offered: api.advertised === null ? [] : [api.advertised.lowest, api.advertised.highest],
    highestStable: api.highestStable,
    headers: api.headers,
  };
}

function rowDifferences(ourRows: readonly WireRow[], theirRows: readonly WireRow[]): readonly string[] {
  const count = Math.max(ourRows.length, theirRows.length);
  const differences: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const our = rowText(ourRows[index]);
    const their = rowText(theirRows[index]);
    if (our !== their) differences.push(`row ${index}: ours ${our}, Apache's ${their}`);
  }
  return differences;
}

function rowText(row: WireRow | undefined): string {
  return row === undefined ? 'ends here' : `${row.path} (${row.type})`;
}
