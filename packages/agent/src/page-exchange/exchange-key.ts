import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@weir/core';

/**
 * How agents of a cluster recognise each other. All of them have a secret of the cluster, and none ever sends it to another: a
 * request carries its time and a signature, and the answer a proof that whoever gave it has the secret too. So an address
 * that was given to somebody else learns nothing that it can use, and gets nobody to believe its bytes.
 */
export interface ExchangeKeyOptions {
  /** What all agents of the cluster have. Asked again from time to time, because it may be replaced while the agent runs. */
  readonly secret: () => string | Uint8Array;
  readonly clusterId: string;
  readonly clock: Clock;
}

/** The clocks of two agents may be apart by this much; a request that somebody recorded is worth nothing after it. */
export const exchangeSkewMsMax = 60_000;

const scheme = 'Weir-Page-V1';
const keyUse = 'weir page exchange v1';
const keyBytes = 32;
const keyFreshMs = 1_000;

export interface SignedRequest {
  /** The value of the header `authorization`. */
  readonly authorization: string;
  readonly signature: string;
}

export type Verified = { readonly signature: string } | { readonly problem: string };

export class ExchangeKey {
  readonly #options: ExchangeKeyOptions;
  #secret: string | Uint8Array | undefined;
  #key = Buffer.alloc(0);
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: ExchangeKeyOptions) {
    this.#options = options;
  }

  sign(method: string, path: string): SignedRequest {
    const timeMs = Math.floor(this.#options.clock.nowMs());
    const signature = this.#mac('request', method, path, timeMs);
    return { authorization: `${scheme} time=${timeMs}, signature=${signature}`, signature };
  }

  verify(method: string, path: string, authorization: string | undefined): Verified {
    if (authorization === undefined) return { problem: 'agents sign their requests; this one is not signed' };
    const [, time, signature] = signedPattern.exec(authorization) ?? [];
    if (time === undefined || signature === undefined) {
      return { problem: `the header authorization is not ${scheme} with time and signature` };
    }
    if (!isSame(signature, this.#mac('request', method, path, Number(time)))) {
      return { problem: 'the signature is not that of an agent of this cluster' };
    }
    if (Math.abs(this.#options.clock.nowMs() - Number(time)) > exchangeSkewMsMax) {
      return { problem: `the request is of another time than ours by more than ${exchangeSkewMsMax} ms` };
    }
    return { signature };
  }

  /** What an answer of so many bytes to a request carries. */
  prove(requestSignature: string, contentBytes: number): string {
    return this.#mac('answer', requestSignature, contentBytes);
  }

  isProven(requestSignature: string, contentBytes: number, proof: string | undefined): boolean {
    return proof !== undefined && isSame(proof, this.prove(requestSignature, contentBytes));
  }

  #mac(...parts: readonly (string | number)[]): string {
    return createHmac('sha256', this.#current()).update(parts.join('\n')).digest('base64url');
  }

  /** Derived for this one use and this one cluster, so that a signature opens no other door. */
  #current(): Buffer {
    const { secret, clusterId, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#readMs < keyFreshMs) return this.#key;
    const found = secret();
    if (found !== this.#secret) {
      this.#key = Buffer.from(hkdfSync('sha256', found, clusterId, keyUse, keyBytes));
      this.#secret = found;
    }
    this.#readMs = nowMs;
    return this.#key;
  }
}

const signedPattern = new RegExp(`^${scheme} time=(\\d{1,15}), signature=([\\w-]{43})$`);

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
