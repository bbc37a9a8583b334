import { connect, type Socket } from 'node:net';
import {
  type Apis,
  apis,
  decodeResponse,
  type ErrorName,
  encodeRequest,
  errors,
  FrameSplitter,
} from '@weir/wire';
import type { ServedApi } from '../src/dispatch/handler-table.ts';
import type { RequestBody, ResponseBody } from './test-agent-server.ts';

export function codeOf(error: ErrorName): number {
  return errors[error].code;
}

/** A minimal client: it sends what the test says and returns the answers as they come, one frame after the other. */
export class TestClient {
  readonly socket: Socket;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #splitter = new FrameSplitter(512 << 20);
  readonly #frames: Buffer[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;
  #correlationId = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      });
    });
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(...this.#splitter.push(chunk));
      this.#wake?.();
    });
  }

  static async connect(port: number): Promise<TestClient> {
    const socket = connect({ host: '127.0.0.1', port });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new TestClient(socket);
  }

  /** Uses an existing connection. */
  static over(socket: Socket): TestClient {
    return new TestClient(socket);
  }

  /** Returns the correlation id. */
  send<Name extends ServedApi>(
    name: Name,
    apiVersion: number,
    body: RequestBody<Name>,
    clientId = 'test',
  ): number {
    const correlationId = ++this.#correlationId;
    const header = { correlationId, clientId };
    this.socket.write(Buffer.concat(encodeRequest(apis[name] as never, apiVersion, header, body as never)));
    return correlationId;
  }

  /** Returns the next frame without its length, or `undefined` if the connection closed before it. */
  async frame(): Promise<Buffer | undefined> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined || this.#isClosed) return frame;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async receive<Name extends ServedApi>(
    name: Name,
    apiVersion: number,
  ): Promise<{ correlationId: number; body: ResponseBody<Name> }> {
    const frame = await this.frame();
    if (frame === undefined) throw new Error(`the connection closed instead of answering ${name}`);
    return decodeResponse(apis[name] as Apis['ApiVersions'], apiVersion, frame) as never;
  }

  async call<Name extends ServedApi>(
    name: Name,
    apiVersion: number,
    body: RequestBody<Name>,
  ): Promise<ResponseBody<Name>> {
    this.send(name, apiVersion, body);
    return (await this.receive(name, apiVersion)).body;
  }
}
