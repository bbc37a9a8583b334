import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  apis,
  decodeMessage,
  type Encodable,
  encodeMessage,
  type Message,
  requestHeader,
  responseHeader,
} from '@weir/wire';
import { arbitraryMessage } from '@weir/wire/testing';
import fc from 'fast-check';
import { type Direction, type Echo, openEcho, RefusedByApache } from './echo.ts';
import { missingTool } from './tools.ts';
import { refusedForUnknownTag } from './unknown-tags.ts';
import { unsetValue } from './unset-value.ts';
import { versionsOf } from './versions-of.ts';

/** Fixed, so that runs are reproducible; a failure prints its smallest example. */
const seed = 830;
const messagesPerVersion = 25;

/** One message definition, and its name in `JavaClient.java`. */
interface Subject {
  readonly api: number | 'header';
  readonly direction: Direction;
  readonly message: Message;
}

const headers: readonly Subject[] = [
  { api: 'header', direction: 'request', message: requestHeader },
  { api: 'header', direction: 'response', message: responseHeader },
];

describe("bytes against Apache's classes", { skip: missingTool() }, () => {
  let apache: Echo;
  const compared = { versions: 0, messages: 0 };

  before(() => {
    apache = openEcho();
  });

  after(async () => {
    await apache.close();
  });

  for (const { name, key, request, response } of Object.values(apis)) {
    it(`${name} (key ${key})`, async () => {
      await compareVersions({ api: key, direction: 'request', message: request });
      await compareVersions({ api: key, direction: 'response', message: response });
    });
  }

  it('headers', async () => {
    for (const subject of headers) await compareVersions(subject);
  });

  it('has looked at everything', (context) => {
    assert.ok(compared.messages >= compared.versions * messagesPerVersion);
    context.diagnostic(
      `${compared.messages} messages in ${compared.versions} message versions went through Apache and back`,
    );
  });

  async function compareVersions(subject: Subject): Promise<void> {
    for (const version of versionsOf(subject.message)) {
      await compareArbitrary(subject, version);
      await compareUnset(subject, version);
      compared.versions += 1;
    }
  }

  async function compareArbitrary({ api, direction, message }: Subject, version: number): Promise<void> {
    const anyMessage = fc.asyncProperty(arbitraryMessage(message, version), async (value) => {
      const ours = encode(message, version, value);
      const theirs = await apache.echo(api, direction, version, ours).catch((error: unknown) => {
        const excused = error instanceof RefusedByApache && refusedForUnknownTag(error.message, value);
        fc.pre(!excused);
        throw error;
      });
      assertSameBytes(ours, theirs, `${message.name} v${version}`);
      compared.messages += 1;
    });
    await fc.assert(anyMessage, { seed, numRuns: messagesPerVersion });
  }

  async function compareUnset({ api, direction, message }: Subject, version: number): Promise<void> {
    const theirs = await apache.unset(api, direction, version);
    const again = encode(message, version, decodeMessage(message, version, theirs));
    assertSameBytes(again, theirs, `${message.name} v${version}, Apache's with nothing set`);
    // An unset client id is null in Weir and empty in Apache's classes; real header writers always set it.
    if (message === requestHeader) return;
    const ours = encode(message, version, unsetValue(message, version));
    assertSameBytes(ours, theirs, `${message.name} v${version} with nothing set`);
  }
});

function encode<M extends Message>(message: M, version: number, value: Encodable<M>): Buffer {
  return Buffer.concat(encodeMessage(message, version, value));
}

/** Compares as hex text, because a difference is then readable. */
function assertSameBytes(ours: Buffer, theirs: Buffer, title: string): void {
  assert.equal(ours.toString('hex'), theirs.toString('hex'), title);
}
