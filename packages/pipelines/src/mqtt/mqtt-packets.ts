import { ByteCutter } from '../component/byte-cutter.ts';
import { pipelineLimits } from '../limits.ts';

/** Kinds of packets of MQTT 3.1.1, by their number. */
export const packetKinds = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const;

export interface Publish {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly isRetained: boolean;
  readonly isDuplicate: boolean;
  /** 0 with QoS 0. */
  readonly id: number;
}

interface Will {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly isRetained: boolean;
}

export interface Hello {
  readonly clientId: string;
  readonly isClean: boolean;
  readonly keepAliveSeconds: number;
  readonly username: string;
  readonly password: string;
  readonly will: Will | undefined;
}

const { brokerMessageBytesMax: bytesMax } = pipelineLimits;
const textBytesMax = 65_535;

/** Cuts what a broker sends into packets. Throws if one is too large, or none. */
export class PacketReader {
  readonly #cutter: ByteCutter;

  constructor(onPacket: (kind: number, flags: number, body: Buffer) => void) {
    this.#cutter = new ByteCutter((bytes) => {
      let size = 0;
      let at = 1;
      for (let shift = 0; ; shift += 7) {
        if (shift > 21) throw new Error('the broker does not speak the protocol of MQTT');
        const byte = bytes[at++];
        if (byte === undefined) return 0;
        size += (byte & 127) * 2 ** shift;
        if (byte < 128) break;
      }
      if (size > bytesMax)
        throw new Error(`a message of ${size} bytes is too large; the limit is ${bytesMax}`);
      if (bytes.length < at + size) return -(at + size);
      const first = bytes[0]!;
      onPacket(first >> 4, first & 15, bytes.subarray(at, at + size));
      return at + size;
    });
  }

  push(chunk: Buffer): void {
    this.#cutter.push(chunk);
  }
}

export function packet(kind: number, flags: number, ...parts: readonly Buffer[]): Buffer {
  let size = 0;
  for (const part of parts) size += part.length;
  const head = [(kind << 4) | flags];
  do {
    head.push((size & 127) | (size > 127 ? 128 : 0));
    size >>= 7;
  } while (size > 0);
  return Buffer.concat([Buffer.from(head), ...parts]);
}

/** `CONNECT` of MQTT 3.1.1. */
export function helloPacket({
  clientId,
  isClean,
  keepAliveSeconds,
  username,
  password,
  will,
}: Hello): Buffer {
  const flags =
    (isClean ? 2 : 0) |
    (will === undefined ? 0 : 4 | (will.qos << 3) | (will.isRetained ? 32 : 0)) |
    (username === '' ? 0 : 128) |
    (username === '' || password === '' ? 0 : 64);
  return packet(
    packetKinds.connect,
    0,
    text('MQTT'),
    Buffer.of(4, flags),
    number(keepAliveSeconds),
    text(clientId),
    ...(will === undefined ? [] : [text(will.topic), text(will.payload)]),
    ...(username === '' ? [] : [text(username)]),
    ...(username === '' || password === '' ? [] : [text(password)]),
  );
}

export function publishPacket({ topic, payload, qos, isRetained, id }: Omit<Publish, 'isDuplicate'>): Buffer {
  const flags = (qos << 1) | (isRetained ? 1 : 0);
  return packet(packetKinds.publish, flags, text(topic), ...(qos === 0 ? [] : [number(id)]), payload);
}

export function subscribePacket(id: number, topics: readonly string[], qos: number): Buffer {
  return packet(
    packetKinds.subscribe,
    2,
    number(id),
    ...topics.flatMap((topic) => [text(topic), Buffer.of(qos)]),
  );
}

/** `PUBACK`, `PUBREC`, `PUBREL` or `PUBCOMP`. */
export function receiptPacket(kind: number, id: number): Buffer {
  return packet(kind, kind === packetKinds.pubrel ? 2 : 0, number(id));
}

export function readPublish(flags: number, body: Buffer): Publish {
  const qos = (flags >> 1) & 3;
  const topicEnd = body.length < 2 ? 0 : 2 + body.readUInt16BE(0);
  const start = topicEnd + (qos === 0 ? 0 : 2);
  if (qos === 3 || topicEnd === 0 || start > body.length)
    throw new Error('the broker sends a message that is none of MQTT');
  return {
    topic: body.toString('utf8', 2, topicEnd),
    // A copy, so that a small message does not keep the memory of all that arrived with it.
    payload: Buffer.from(body.subarray(start)),
    qos: qos as 0 | 1 | 2,
    isRetained: (flags & 1) === 1,
    isDuplicate: (flags & 8) === 8,
    id: qos === 0 ? 0 : body.readUInt16BE(topicEnd),
  };
}

/** The identifier at the beginning of an answer of the broker. */
export function idOf(body: Buffer): number {
  if (body.length < 2) throw new Error('the broker sends an answer that is none of MQTT');
  return body.readUInt16BE(0);
}

/** What is wrong with a topic to publish to. */
export function problemOfTopic(topic: string): string | undefined {
  const isWrong = topic === '' || /[+#\0]/.test(topic) || Buffer.byteLength(topic) > textBytesMax;
  return isWrong ? `${JSON.stringify(topic.slice(0, 200))} is no topic that can be published to` : undefined;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > textBytesMax) throw new Error(`a text of MQTT may have ${textBytesMax} bytes`);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  return Buffer.of(value >> 8, value & 255);
}
