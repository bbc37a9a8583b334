import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { KiB } from '@weir/core';
import { type ClientOptions, type RawData, WebSocket } from 'ws';
import { rpcLimits } from '../limits.ts';
import {
  AgentKeyRefused,
  type Channel,
  type ChannelListener,
  type Dial,
  DialError,
  type DialTarget,
} from './channel.ts';
import { type ForwardProxy, openTunnel } from './forward-proxy.ts';
import { MaskedMessages } from './masked-messages.ts';
import { readIntoSharedMemory } from './socket-memory.ts';

/** The path for connections of agents, below the address of the control plane. */
export const agentConnectPath = 'api/v1/agent/connect';
export const clusterIdParameter = 'virtual_cluster_id';
/** The region of the agent, if it is set. */
export const regionParameter = 'region';
export const agentKeyHeader = 'service-api-key';
/** The version of the protocol. A side that does not support it refuses the upgrade. */
export const subprotocol = 'weir.agent.v1';

/** A close frame holds two bytes of code and 123 of text. */
const closeReasonBytesMax = 123;
/** There was no close frame. */
const brokenCode = 1006;
/** The first byte of a binary message in one frame. */
const binaryMessage = 0x82;
/** Up to this size a frame is copied behind the head of its message, and both are written as one buffer. */
const copiedBytesMax = 4 * KiB;

/** Wraps the WebSocket of a server as a channel. `socket` is the underlying stream. */
export function servedChannel(webSocket: WebSocket, socket: Duplex): Channel {
  const write = (frame: Uint8Array) => {
    // Without a mask, unlike those of clients. A gathered write of head and frame would cost more than the copy.
    if (frame.length <= copiedBytesMax) socket.write(sharedMessageOf(frame));
    else webSocket.send(frame, { binary: true });
  };
  const channel = webSocketChannel(webSocket, socket, write);
  return {
    ...channel,
    listen(listener) {
      const messages = new MaskedMessages({
        onMessage: (frame) => listener.onFrame(frame),
        // The WebSocket listens, unless it has ended.
        onOther: (bytes) => socket.emit('data', Buffer.from(bytes)),
        isOver: () => webSocket.readyState !== WebSocket.OPEN,
        bytesMax: rpcLimits.rpcCallBytesMax,
      });
      readIntoSharedMemory(socket, (bytes) => messages.push(bytes));
      channel.listen(listener);
    },
  };
}

/** The followers of a cluster get the same frame one after the other, and so the same message. */
let lastFrame: Uint8Array | undefined;
let lastMessage: Buffer = Buffer.alloc(0);

function sharedMessageOf(frame: Uint8Array): Buffer {
  if (frame !== lastFrame) {
    lastMessage = messageOf(frame);
    lastFrame = frame;
  }
  return lastMessage;
}

function messageOf(frame: Uint8Array): Buffer {
  const { length } = frame;
  const headBytes = length < 126 ? 2 : 4;
  const message = Buffer.allocUnsafe(headBytes + length);
  message[0] = binaryMessage;
  if (headBytes === 2) {
    message[1] = length;
  } else {
    message[1] = 126;
    message.writeUInt16BE(length, 2);
  }
  message.set(frame, headBytes);
  return message;
}

function webSocketChannel(webSocket: WebSocket, socket: Duplex, write: (frame: Uint8Array) => void): Channel {
  let isCorked = false;
  let listener: ChannelListener | undefined;
  let problem = '';
  let end: (() => void) | undefined;
  // No message may arrive before there is a listener.
  webSocket.pause();
  webSocket.on('message', (data: RawData) => {
    // A text message is not a frame, and decoding refuses it. Other messages have the default type, a buffer.
    listener?.onFrame(data as Buffer);
  });
  // `close` follows and reports it.
  webSocket.on('error', (error) => {
    problem = error.message;
  });
  webSocket.on('close', (code, reason) => {
    const why = reason.length > 0 ? reason.toString() : problem;
    end = () => listener?.onEnd(code === brokenCode ? undefined : code, why);
    end();
  });

  /** Frames of one turn of the event loop go out in one system call, which costs more than a small call. */
  function cork(): void {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    process.nextTick(uncork);
  }

  function uncork(): void {
    isCorked = false;
    socket.uncork();
  }

  return {
    send(frame) {
      if (webSocket.readyState !== WebSocket.OPEN) return;
      cork();
      write(frame);
    },
    unsentBytes: () => webSocket.bufferedAmount,
    receivedBytes: () => (socket as Socket).bytesRead,
    listen(given) {
      listener = given;
      webSocket.resume();
      if (end !== undefined) process.nextTick(end);
    },
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    close(code, reason) {
      webSocket.close(code, cut(reason));
    },
    abort() {
      webSocket.terminate();
    },
  };
}

function cut(reason: string): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= closeReasonBytesMax) return bytes;
  let end = closeReasonBytesMax;
  // Not within a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** Opens a WebSocket to the control plane: a plain HTTP/1.1 upgrade, which proxies let through. */
export const dialWebSocket: Dial = (target) => dial(target, {});

/** The same through a forward proxy. */
export function dialThroughProxy(proxy: ForwardProxy): Dial {
  return (target) => {
    const url = connectUrl(target);
    const isSecure = url.protocol === 'wss:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
    // The request passes a callback, because the connection is created asynchronously.
    const createConnection = (
      _options: unknown,
      done: (error: Error | null, socket?: Duplex) => void,
    ): undefined => {
      openTunnel(proxy, { host, port, isSecure }, target.signal).then(
        (socket) => done(null, socket),
        (error: Error) => done(error),
      );
    };
    return dial(target, {
      createConnection: createConnection as unknown as ClientOptions['createConnection'],
    });
  };
}

function dial(target: DialTarget, how: Pick<ClientOptions, 'createConnection'>): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const url = connectUrl(target);
    const webSocket = new WebSocket(url, subprotocol, {
      ...how,
      ...(url.protocol === 'wss:' ? { generateMask: noMask } : {}),
      headers: { [agentKeyHeader]: target.agentKey },
      maxPayload: rpcLimits.rpcReplyBytesMax,
      perMessageDeflate: false,
      followRedirects: false,
    });
    let socket: Duplex | undefined;
    const abort = () => webSocket.terminate();
    target.signal.addEventListener('abort', abort, { once: true });
    webSocket.on('upgrade', (response) => {
      socket = response.socket;
    });
    webSocket.on('unexpected-response', (_request, response) => {
      reject(refusal(response, target.url));
      webSocket.terminate();
    });
    webSocket.on('error', (error) => reject(new DialError(`${target.url}: ${error.message}`)));
    webSocket.on('open', () => {
      target.signal.removeEventListener('abort', abort);
      const write = (frame: Uint8Array) => webSocket.send(frame, { binary: true });
      resolve(webSocketChannel(webSocket, socket!, write));
    });
  });
}

/**
 * Clients mask frames so that a proxy without WebSocket support cannot be tricked into reading them as HTTP. Within TLS
 * no proxy sees them, and masking costs more than all other work on a large frame.
 */
function noMask(mask: Buffer): void {
  mask.fill(0);
}

function connectUrl({ url, clusterId, region }: DialTarget): URL {
  const target = new URL(agentConnectPath, url);
  target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
  target.searchParams.set(clusterIdParameter, clusterId);
  if (region !== undefined) target.searchParams.set(regionParameter, region);
  return target;
}

function refusal(response: IncomingMessage, url: string): Error {
  const status = `${response.statusCode} ${response.statusMessage ?? ''}`.trim();
  response.resume();
  if (response.statusCode === 401)
    return new AgentKeyRefused(`${url}: agent key and cluster id do not match (${status})`);
  return new DialError(`${url}: ${status}`);
}
