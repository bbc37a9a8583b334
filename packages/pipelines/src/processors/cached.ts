import type { Mapping } from '@weir/bloblang';
import { isTrueFor } from '../component/check.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy, reasonOf } from '../component/failures.ts';
import { children, interpolated, mapping, resource } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch, Message } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';
import { callerOf, ttlMsOf } from './cache.ts';
import { gathered } from './chains.ts';

/** Version of the entries; Bento writes the same, so that both can use one cache. */
const entryVersion = 1;
const lengthBytes = 4;

/** The contents of messages: a version, their number, and each with its length. */
export function entryOf(batch: Batch): Buffer {
  const header = Buffer.alloc(2 * lengthBytes);
  header.writeUInt32BE(entryVersion, 0);
  header.writeUInt32BE(batch.length, lengthBytes);
  const parts: Buffer[] = [header];
  for (const { content } of batch) {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(content.length, 0);
    parts.push(length, content);
  }
  return Buffer.concat(parts);
}

/** The contents of an entry. Throws if another program wrote it. */
export function contentsOf(entry: Buffer): Buffer[] {
  const wrong = (why: string) => new Error(`the cache has an entry that \`cached\` did not write: ${why}`);
  if (entry.length < 2 * lengthBytes) throw wrong('it is too short');
  if (entry.readUInt32BE(0) !== entryVersion) throw wrong(`its version is ${entry.readUInt32BE(0)}`);
  const count = entry.readUInt32BE(lengthBytes);
  const contents: Buffer[] = [];
  let at = 2 * lengthBytes;
  while (contents.length < count) {
    if (at + lengthBytes > entry.length) throw wrong('a length is missing');
    const end = at + lengthBytes + entry.readUInt32BE(at);
    if (end > entry.length) throw wrong('a message is cut off');
    contents.push(entry.subarray(at + lengthBytes, end));
    at = end;
  }
  return contents;
}

interface Options {
  readonly label: string;
  readonly skipOn: Mapping | undefined;
  readonly key: Interpolated;
  readonly ttl: Interpolated | undefined;
}

/** Applies processors once for each key, and takes their result from a cache afterwards. */
class Cached implements Processor {
  readonly #options: Options;
  readonly #chain: Chain;
  readonly #context: ComponentContext;

  constructor(options: Options, chain: Chain, context: ComponentContext) {
    this.#options = options;
    this.#chain = chain;
    this.#context = context;
  }

  async process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const results: (readonly Batch[])[] = [];
    for (const message of batch) {
      try {
        results.push([await this.#result(message, stop)]);
      } catch (error) {
        results.push([[failedBy(message, error, this.#context, 'cached')]]);
      }
    }
    return gathered(results);
  }

  async #result(message: Message, stop: AbortSignal): Promise<Batch> {
    const { label, key: keyText, ttl } = this.#options;
    const { mappingPorts, resources, log } = this.#context;
    const key = keyText.text([message], 0, mappingPorts);
    const ttlMs = ttl === undefined ? undefined : ttlMsOf(ttl.text([message], 0, mappingPorts));
    const cache = callerOf(resources.get('cache', label));
    const found = await cache.get(key);
    if (found !== undefined) return contentsOf(found).map((content) => message.withContent(content));
    const batches = await this.#chain.process([message], stop);
    const result = batches.flat();
    if (batches.some((part) => this.#isSkipped(part))) return result;
    try {
      await cache.set(key, entryOf(result), ttlMs);
    } catch (error) {
      log.error('failed to write a result to the cache', { error: reasonOf(error) });
    }
    return result;
  }

  /** A check that fails is taken for true: a result that is wrong would be used for long. */
  #isSkipped(batch: Batch): boolean {
    const { skipOn } = this.#options;
    if (skipOn === undefined) return false;
    try {
      return isTrueFor(skipOn, batch, 0, this.#context.mappingPorts);
    } catch (error) {
      this.#context.log.error('failed to check whether a result is cached', { error: reasonOf(error) });
      return true;
    }
  }

  async close(): Promise<void> {
    await this.#chain.close();
  }
}

export const cached = componentOf('processor', {
  name: 'cached',
  about:
    'Applies processors to messages whose key is not in a cache, and uses the result for all with that key.',
  fields: {
    cache: resource('cache', 'The label of the cache.'),
    skip_on: mapping('A query; results for which it is true are not cached.').optional(),
    key: interpolated('The key of the result.'),
    ttl: interpolated('How long a result is kept; the cache decides if absent.').optional(),
    processors: children('processor', 'What makes the result.'),
  },
  async open({ cache: label, skip_on: skipOn, key, ttl, processors }, context) {
    return new Cached({ label, skipOn, key, ttl }, await Chain.open(processors, context), context);
  },
});
