import { ByteCutter } from '../component/byte-cutter.ts';
import { pipelineLimits } from '../limits.ts';

export interface NatsMessage {
  readonly subject: string;
  readonly subscription: number;
  /** Empty if no client waits for an answer. */
  readonly reply: string;
  readonly payload: Buffer;
  readonly headers: readonly (readonly [key: string, value: string])[];
  /** Of a message of the server itself, such as 503 for no responders. */
  readonly status: number | undefined;
  readonly statusText: string;
  readonly byteCount: number;
}

/** What a server sends; the rest of a line as it is. */
interface NatsEvents {
  info(json: string): void;
  message(message: NatsMessage): void;
  ping(): void;
  pong(): void;
  error(reason: string): void;
}

const { brokerMessageBytesMax: bytesMax, natsLineBytesMax: lineBytesMax } = pipelineLimits;
const crlf = '\r\n';

/** Reads what a server of NATS sends. Throws if it is something else, or too large. */
export class NatsParser {
  readonly #events: NatsEvents;
  readonly #cutter = new ByteCutter((bytes) => this.#cut(bytes));

  constructor(events: NatsEvents) {
    this.#events = events;
  }

  push(chunk: Buffer): void {
    this.#cutter.push(chunk);
  }

  #cut(bytes: Buffer): number {
    const end = bytes.indexOf(crlf);
    if (end > lineBytesMax || (end < 0 && bytes.length > lineBytesMax))
      throw new Error('the server sends lines that are too long for NATS');
    if (end < 0) return 0;
    const line = bytes.toString('utf8', 0, end);
    const next = end + crlf.length;
    const [, operation = '', rest = ''] = /^([^ \t]+)[ \t]*(.*)$/.exec(line) ?? [];
    switch (operation.toUpperCase()) {
      case 'MSG':
      case 'HMSG':
        return this.#message(bytes, next, rest, operation.length === 4);
      case 'INFO':
        this.#events.info(rest);
        return next;
      case 'PING':
        this.#events.ping();
        return next;
      case 'PONG':
        this.#events.pong();
        return next;
      case '-ERR':
        this.#events.error(rest.replace(/^'(.*)'$/, '$1'));
        return next;
      case '+OK':
        return next;
      default:
        throw new Error('the server does not speak the protocol of NATS');
    }
  }

  #message(bytes: Buffer, from: number, line: string, hasHeaders: boolean): number {
    const words = line.trim().split(/[ \t]+/);
    const sizes = words
      .splice(hasHeaders ? -2 : -1)
      .map((word) => (/^\d{1,10}$/.test(word) ? Number(word) : -1));
    const total = sizes.at(-1)!;
    const headerCount = hasHeaders ? sizes[0]! : 0;
    const [subject, subscription, reply = ''] = words;
    if (subject === undefined || subscription === undefined || headerCount < 0 || total < headerCount)
      throw new Error('the server sends a message that is none of NATS');
    if (total > bytesMax)
      throw new Error(`a message of ${total} bytes on ${subject} is too large; the limit is ${bytesMax}`);
    const end = from + total;
    if (bytes.length < end + crlf.length) return -(end + crlf.length);
    this.#events.message({
      subject,
      subscription: Number(subscription),
      reply,
      // A copy, so that a small message does not keep the memory of all that arrived with it.
      payload: Buffer.from(bytes.subarray(from + headerCount, end)),
      ...headersIn(bytes.toString('utf8', from, from + headerCount)),
      byteCount: total,
    });
    return end + crlf.length;
  }
}

function headersIn(text: string): Pick<NatsMessage, 'headers' | 'status' | 'statusText'> {
  const [first = '', ...lines] = text.split(crlf);
  const [, status, statusText = ''] = /^NATS\/1\.0[ \t]*(\d{3})(.*)$/.exec(first) ?? [];
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
  return {
    headers,
    status: status === undefined ? undefined : Number(status),
    statusText: statusText.trim(),
  };
}

/** The block of headers of a message. Throws if one could end it, or begin another. */
export function headerBlock(headers: readonly (readonly [key: string, value: string])[]): Buffer {
  let text = `NATS/1.0${crlf}`;
  for (const [key, value] of headers) {
    if (!/^[!-9;-~]+$/.test(key)) throw new Error(`the header ${JSON.stringify(key)} is no name of a header`);
    if (/[\r\n]/.test(value)) throw new Error(`the header ${key} has a value of more than one line`);
    text += `${key}: ${value}${crlf}`;
  }
  return Buffer.from(`${text}${crlf}`);
}

/** What is wrong with a subject to publish to. */
export function problemOfSubject(subject: string): string | undefined {
  return subject !== '' && !/[\s\p{Cc}*>]/u.test(subject) && subject.split('.').every((token) => token !== '')
    ? undefined
    : `${JSON.stringify(subject.slice(0, 200))} is no subject that can be published to`;
}
