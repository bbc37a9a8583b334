import { registryLimits } from '../limits.ts';
import { InvalidPayload, type PayloadCodec } from '../schema-format.ts';
import { isObject } from './json-tree.ts';
import type { SchemaDocuments } from './schema-documents.ts';

/** Payloads are JSON in UTF-8. */
export function jsonCodec({ root }: SchemaDocuments): PayloadCodec {
  const title = isObject(root) ? root.get('title') : undefined;
  return {
    problemOf(payload) {
      const read = readPayload(payload);
      return 'problem' in read ? read.problem : undefined;
    },
    decode(payload) {
      const read = readPayload(payload);
      if ('problem' in read) throw new InvalidPayload(read.problem);
      return read.value;
    },
    encode: (value) => Buffer.from(JSON.stringify(value)),
    recordName: () => (typeof title === 'string' ? title : undefined),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readPayload(payload: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  if (payload.length > registryLimits.jsonPayloadBytesMax)
    return {
      problem: `the JSON has ${payload.length} bytes; ${registryLimits.jsonPayloadBytesMax} are allowed`,
    };
  if (depthOf(payload) > registryLimits.jsonPayloadDepthMax)
    return { problem: `the JSON is nested more than ${registryLimits.jsonPayloadDepthMax} levels deep` };
  try {
    return { value: JSON.parse(utf8.decode(payload)) };
  } catch (error) {
    return { problem: `the payload is not JSON in UTF-8: ${firstLine(error)}` };
  }
}

/** An upper bound on how deep JSON nests, from its brackets. */
function depthOf(payload: Uint8Array): number {
  if (payload.length <= registryLimits.jsonPayloadDepthMax) return 0;
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < payload.length; at++) {
    const byte = payload[at]!;
    if (isString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isString = false;
    } else if (byte === 0x22) isString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]!.slice(0, 200);
}
