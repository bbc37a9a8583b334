import { parentPort } from 'node:worker_threads';
import { registryLimits } from '../limits.ts';
import type { PayloadCodec, SchemaSource, SchemaType } from '../schema-format.ts';
import { type PayloadTask, runPayloadTask } from './payload-task.ts';
import { runTask, type SchemaFormats, type SchemaTask, type ThreadAnswer } from './schema-task.ts';
import { SizedCache } from './sized-cache.ts';
import { digestOf } from './source-digest.ts';

/** What a parsed schema takes in memory, as a multiple of its text. */
const parsedSizePerChar = 16;

const payloadTasks: ReadonlySet<string> = new Set<PayloadTask['kind']>(['decode', 'encode', 'open', 'check']);

function isOfPayload(task: SchemaTask | PayloadTask): task is PayloadTask {
  return payloadTasks.has(task.kind);
}

/** Serves the tasks of a pool, in a thread. */
export function serveSchemaTasks(formats: SchemaFormats): void {
  const codecs = new SizedCache<PayloadCodec>(registryLimits.schemaWorkCacheBytesMax);
  const codecOf = (type: SchemaType, source: SchemaSource): PayloadCodec => {
    const { digest, chars } = digestOf(source);
    const key = `${type}${digest}`;
    const known = codecs.get(key);
    if (known !== undefined) return known;
    const format = formats[type];
    const codec = format.codec(format.parse(source, { isStored: true }));
    codecs.set(key, codec, chars * parsedSizePerChar);
    return codec;
  };
  parentPort!.on('message', (task: SchemaTask | PayloadTask) => {
    let answer: ThreadAnswer;
    try {
      answer = { result: isOfPayload(task) ? runPayloadTask(task, codecOf) : runTask(formats, task) };
    } catch (error) {
      answer = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    parentPort!.postMessage(answer);
  });
}
