import {
  type Api,
  type ApiName,
  apis,
  encodeRequest,
  type Layout,
  type LayoutField,
  layoutOf,
  zeroUuid,
} from '@weir/wire';
import { carriedFields, type Struct } from '../clients/struct.ts';
import type { Pair } from './pair.ts';
import type { Body } from './side.ts';

/** Fields that cannot have their default here. */
const exceptions: Partial<Record<ApiName, (version: number) => Struct>> = {
  // With acks 0 there is no answer.
  Produce: () => ({ acks: -1 }),
  // Apache Kafka never answers a list without transactions.
  AddPartitionsToTxn: (version) =>
    version < 4
      ? {}
      : { transactions: [{ transactionalId: '', producerId: 0n, producerEpoch: 0, topics: [] }] },
};

/** The request in which every field has its default, lists are empty and names too. */
function plainBody(name: ApiName, version: number): Struct {
  return { ...structOf(layoutOf(apis[name].request, version)), ...exceptions[name]?.(version) };
}

function structOf(layout: Layout): Struct {
  return Object.fromEntries(carriedFields(layout).map((field) => [field.name, defaultOf(field)]));
}

function defaultOf({ default: value, type, nullable }: LayoutField): unknown {
  if (value !== 'empty') return value;
  if (type.kind === 'array') return [];
  if (type.kind === 'struct') return nullable ? null : structOf(type.layout);
  return type.kind === 'uuid' ? zeroUuid : Buffer.alloc(0);
}

/** A plain request of each version; no server may end the connection because of it. */
export async function askPlainly(pair: Pair, name: ApiName): Promise<void> {
  await pair.ask(name, (_, version) => plainBody(name, version) as Body<ApiName> as never);
}

/** Does something to the bytes of a frame, which begins with its length. */
type Damage = (frame: Buffer) => Buffer;

const damages: Readonly<Record<string, Damage>> = {
  'without its last byte': (frame) => withLength(frame.subarray(0, -1)),
  'without its second half': (frame) => withLength(frame.subarray(0, 4 + (frame.length - 4) / 2)),
  'with a header only': (frame) => withLength(frame.subarray(0, 12)),
  'with bytes behind its end': (frame) => withLength(Buffer.concat([frame, Buffer.alloc(9)])),
  'of a version that no server has': (frame) => replaced(frame, 6, 99),
  'of a version below zero': (frame) => replaced(frame, 6, -1),
  'of an API that no server has': (frame) => replaced(frame, 4, 999),
  'of an API below zero': (frame) => replaced(frame, 4, -1),
};

function withLength(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  copy.writeInt32BE(copy.length - 4);
  return copy;
}

function replaced(frame: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(frame);
  copy.writeInt16BE(value, at);
  return copy;
}

/** The same request, damaged: each server either ends the connection or answers, and both do the same. */
export async function sendDamaged(pair: Pair, name: ApiName): Promise<void> {
  const api = apis[name] as unknown as Api;
  const version = pair.versionOf(name);
  for (const [what, damage] of Object.entries(damages)) {
    await pair.during(what, () =>
      pair.send(name, version, (side) => {
        const header = { correlationId: side.nextCorrelationId(), clientId: 'differential' };
        const frame = encodeRequest(api, version, header, plainBody(name, version) as never);
        return [damage(Buffer.concat(frame))];
      }),
    );
  }
}
