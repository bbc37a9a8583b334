import type { SecureContextOptions } from 'node:tls';
import { MiB } from '@weir/core';
import type { ClientCertificates, ProxyProtocolOptions } from '@weir/security';
import type { CloseReason } from '../net/listener-metrics.ts';
import type { ForgottenMemory, GivenMemory, SharedMemory } from './shared-memory.ts';

/**
 * What the main thread and a serving thread say to each other. Requests, answers and everything else that there are
 * many of are records in rings, as words after the number of the record; what is rare is a message.
 */

/** Records of a serving thread. The first word after the number is the connection. */
export const fromThread = {
  /** A frame is complete: received bytes, time, memory, start, length, flags. */
  frame: 1,
  /** A part of a frame has come: received bytes, bytes of the unfinished frame. */
  unfinished: 2,
  /** The stream cannot be decoded, for the reason in the message before it: received bytes. */
  broken: 3,
  /** The socket has accepted bytes of answers: how many. */
  sent: 4,
  /** The peer has ended its side. */
  ended: 5,
  /** The socket is closed; the last record of a connection. */
  closed: 6,
  /** The thread accepts no more connections. */
  quiet: 7,
} as const;

/** Flags of a frame. */
export const frameFlags = { carriesRecords: 1, hasCheckedCrcs: 2 } as const;

/** Records of the main thread. */
export const toThread = {
  /** The connection may go on to its handshake, or is held if the word is not 0. */
  admit: 1,
  /** Begin to read: the largest frame. */
  start: 2,
  /** What to read from now on, of `readModes`. */
  read: 3,
  /** Frames were taken: their cost. */
  taken: 4,
  /** The largest frame from now on. */
  frameBytesMax: 5,
  /** Send: slices, each as memory, start and length. */
  write: 6,
  /** Close our side after the answers. */
  end: 7,
  destroy: 8,
  /** Accept no more connections. */
  quiet: 9,
} as const;

/**
 * The cost of frames that were taken is reported in steps of this size, so a thread may read that much further than it
 * is allowed to read ahead.
 */
export const takenStepBytes = 1 * MiB;

export const readModes = { all: 0, restOfFrame: 1, nothing: 2 } as const;

/** What the main thread has to know of a client to admit it. */
interface PeerAddress {
  readonly remoteAddress: string;
  readonly remotePort: number;
}

export type MessageFromThread =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly host: string; readonly port: number }
  | { readonly kind: 'notListening'; readonly code: string | undefined; readonly problem: string }
  | { readonly kind: 'acceptFailed'; readonly problem: string }
  | ({ readonly kind: 'accepted'; readonly connection: number; readonly isProxied: boolean } & PeerAddress)
  | { readonly kind: 'proxied'; readonly connection: number; readonly remoteAddress: string }
  | ({
      readonly kind: 'greeted';
      readonly connection: number;
      readonly isEncrypted: boolean;
      readonly proxiedUser: string | undefined;
      /** DER. */
      readonly certificate: Uint8Array | undefined;
    } & PeerAddress)
  | {
      readonly kind: 'refused';
      readonly connection: number;
      readonly reason: CloseReason;
      readonly problem: string;
      readonly peer: string;
    }
  | { readonly kind: 'broken'; readonly connection: number; readonly problem: string }
  | { readonly kind: 'lost'; readonly connection: number; readonly problem: string }
  | SharedMemory
  | GivenMemory;

export type MessageToThread =
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  | ({ readonly kind: 'tls' } & ThreadTls)
  | SharedMemory
  | GivenMemory
  | ForgottenMemory;

export interface ThreadTls {
  readonly context: SecureContextOptions;
  /** All threads share them, so that a client resumes its session with any. New ones end all sessions. */
  readonly ticketKeys: Uint8Array;
}

/** What a serving thread is started with. */
export interface ThreadOptions {
  readonly channel: ChannelMemory;
  readonly slabCounts: SharedArrayBuffer;
  readonly greetingMs: number;
  readonly proxyProtocol: ProxyProtocolOptions | undefined;
  readonly tls: (ThreadTls & { readonly clientCertificates: ClientCertificates }) | undefined;
  /** Growth of unfinished frames, of all connections, after which the main thread is woken to count it. */
  readonly uncountedBytesMax: number;
}

/** Memory of the channel between the main thread and a serving thread. */
export interface ChannelMemory {
  readonly toThread: SharedArrayBuffer;
  readonly fromThread: SharedArrayBuffer;
  /** Messages posted so far, to the thread and from it. */
  readonly posted: SharedArrayBuffer;
}
