import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Queued {
  readonly id: string;
  readonly body: string;
  readonly attributes: object | undefined;
  readonly entry: Readonly<Record<string, unknown>>;
  receiveCount: number;
  isVisible: boolean;
}

interface Entry {
  readonly Id: string;
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout?: number;
  readonly MessageBody: string;
  readonly MessageAttributes?: object;
}

/** One queue of SQS by its JSON protocol, as far as components use it. Messages stay hidden until they are released. */
export class QueueServer {
  readonly messages = new Map<string, Queued>();
  readonly seen: {
    readonly action: string;
    readonly headers: IncomingHttpHeaders;
    readonly entries: readonly Entry[];
  }[] = [];
  /** Why an entry of a batch fails, or the whole request if it returns a text for no entry. */
  fail: ((action: string, entry: Entry | undefined) => string | undefined) | undefined;
  #count = 0;
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
      const { Entries: entries = [] } = JSON.parse(Buffer.concat(parts).toString()) as {
        readonly Entries?: Entry[];
      };
      this.seen.push({ action, headers: request.headers, entries });
      const problem = this.fail?.(action, undefined);
      if (problem !== undefined)
        return response
          .writeHead(400)
          .end(JSON.stringify({ __type: `com.amazonaws.sqs#${problem}`, message: 'it failed' }));
      return response.end(
        JSON.stringify(action === 'ReceiveMessage' ? this.#receive() : this.#do(action, entries)),
      );
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/000000000000/orders`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  add(body: string, entry: Readonly<Record<string, unknown>> = {}): void {
    const id = `m${++this.#count}`;
    const { MessageAttributes: attributes } = entry as { MessageAttributes?: object };
    this.messages.set(id, { id, body, attributes, entry, receiveCount: 0, isVisible: true });
  }

  get bodies(): string[] {
    return [...this.messages.values()].map(({ body }) => body);
  }

  #receive(): object {
    const visible = [...this.messages.values()].filter(({ isVisible }) => isVisible).slice(0, 10);
    return {
      Messages: visible.map((message) => {
        message.isVisible = false;
        return {
          MessageId: message.id,
          ReceiptHandle: `handle of ${message.id}`,
          Body: message.body,
          Attributes: { ApproximateReceiveCount: String(++message.receiveCount) },
          MessageAttributes: message.attributes,
        };
      }),
    };
  }

  #do(action: string, entries: readonly Entry[]): object {
    const failed: object[] = [];
    for (const entry of entries) {
      const code = this.fail?.(action, entry);
      const id = entry.ReceiptHandle?.replace('handle of ', '');
      if (code !== undefined)
        failed.push({ Id: entry.Id, Code: code, Message: 'it failed', SenderFault: true });
      else if (action === 'DeleteMessageBatch') this.messages.delete(id);
      else if (action === 'SendMessageBatch') this.add(entry.MessageBody, { ...entry });
      else this.messages.get(id)!.isVisible = true;
    }
    return { Failed: failed };
  }
}
